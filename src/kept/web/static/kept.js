// The entry point: loads the modules that the page needs. Every page works without scripts.

import { find, findAll } from "./page.js";
import { start as startKeys } from "./keys.js";
import { start as startAppearance } from "./appearance.js";
import { localizeTimes, sendZone } from "./times.js";

async function start() {
  localizeTimes(document);
  sendZone(document);
  startAppearance();
  if (find("#cards")) {
    const [list, live] = await Promise.all([import("./list.js"), import("./live.js")]);
    list.start();
    live.start();
    const step = (by) => {
      const all = list.cards();
      const at = all.indexOf(list.current());
      list.makeCurrent(all[Math.min(all.length - 1, Math.max(0, at + by))]);
    };
    const press = (selector) => find(selector, list.current() ?? document.createElement("i"))?.click();
    startKeys({
      j: () => step(1),
      k: () => step(-1),
      o: () => press("h2 a"),
      v: () => {
        press(".card-meta a[target]");
      },
      s: () => press(".star"),
      a: () => press(".archive"),
      x: () => press(".pick input"),
      t: () => {
        const card = list.current();
        if (card && find(".edit", card)) list.openTags(card.dataset.item, findAll(".tags a", card).map((tag) => tag.textContent).join(", "));
      },
    });
  } else if (find("#prose")) {
    const [reader, highlights] = await Promise.all([import("./reader.js"), import("./highlights.js")]);
    reader.start();
    highlights.start();
    startKeys({ ...reader.shortcuts, ...highlights.shortcuts });
  } else {
    if (find("#import")) (await import("./importing.js")).start();
    startKeys({});
  }
  document.documentElement.dataset.ready = "yes";
}

start();
