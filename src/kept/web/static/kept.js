// The entry point: loads the modules that the page needs. Every page works without scripts.

import { find, make } from "./page.js";
import { start as startKeys } from "./keys.js";
import { start as startAppearance } from "./appearance.js";
import { localizeTimes, sendZone } from "./times.js";

const CLOSE_AFTER_MS = 1500;

function completeTags({ target }) {
  if (target.matches("input[list=known-tags]")) import("./tags.js").then((tags) => tags.complete(target));
}

async function start() {
  document.addEventListener("focusin", completeTags);
  localizeTimes(document);
  sendZone(document);
  startAppearance();
  if (find("#cards")) {
    const [list, live] = await Promise.all([import("./list.js"), import("./live.js")]);
    await list.start();
    live.start(find("#cards"), { item: ({ item }) => list.refresh(item), stale: list.reloadOrTell });
    if (matchMedia("(any-pointer: coarse)").matches) import("./swipe.js").then((swipe) => swipe.start(find("#cards")));
    const step = (by) => {
      const all = list.cards();
      const at = all.indexOf(list.current());
      list.makeCurrent(all[Math.min(all.length - 1, Math.max(0, at + by))]);
    };
    const press = (selector) => find(selector, list.current() ?? make("i"))?.click();
    startKeys({
      j: () => step(1),
      k: () => step(-1),
      o: () => press("h2 a"),
      v: () => press(".card-meta a[target]"),
      s: () => press(".star"),
      a: () => press(".archive"),
      x: () => press(".pick input"),
      t: () => press(".edit"),
      Escape: list.clearSelection,
    });
  } else if (find("#prose")) {
    const parts = ["./reader.js", "./highlights.js", ...(window.speechSynthesis ? ["./aloud.js"] : [])];
    const modules = await Promise.all(parts.map((part) => import(part)));
    modules.forEach((module) => module.start());
    const { showChanges } = modules[1];
    (await import("./live.js")).start(find("main[data-item]"), { highlights: showChanges, stale: showChanges });
    startKeys(Object.assign({}, ...modules.map((module) => module.shortcuts)));
  } else {
    if (find("[data-at-work]")) (await import("./progress.js")).start();
    if (find("#close-window")) setTimeout(() => close(), CLOSE_AFTER_MS);
    startKeys({});
  }
  document.documentElement.dataset.ready = "yes";
  // On plain HTTP there are no service workers.
  if (navigator.serviceWorker) (await import("./offline.js")).start();
}

start();
