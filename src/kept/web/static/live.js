// News from the server: which items changed. The stream is open only while the page is looked at.

import { announce, find } from "./page.js";
import { refresh } from "./list.js";

const list = find("#cards");
let source;
let last = list.dataset.eventsAfter;

function open() {
  if (source || document.hidden) return;
  source = new EventSource(`/events?after=${last}`);
  source.addEventListener("item", (event) => {
    last = event.lastEventId;
    const { kind, item } = JSON.parse(event.data);
    refresh(item, { first: kind === "added" && "newFirst" in list.dataset });
  });
  source.addEventListener("stale", (event) => {
    last = event.lastEventId;
    announce("A lot has changed meanwhile. Load the page anew to see it.");
  });
  source.addEventListener("open", () => { list.dataset.live = "yes"; });
}

function close() {
  source?.close();
  source = undefined;
}

export function start() {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
