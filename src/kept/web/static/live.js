// Live updates: server-sent events name the items that changed. The stream is open only while the page is visible.

import { find, showToast } from "./page.js";
import { refresh } from "./list.js";

const list = find("#cards");
let source;
let lastEventId = list.dataset.eventsAfter;

function open() {
  if (source || document.hidden) return;
  source = new EventSource(`/events?after=${lastEventId}`);
  source.addEventListener("item", (event) => {
    lastEventId = event.lastEventId;
    const { kind, item } = JSON.parse(event.data);
    refresh(item, { first: kind === "added" && "newFirst" in list.dataset });
  });
  source.addEventListener("stale", (event) => {
    lastEventId = event.lastEventId;
    showToast("This list has changed. Reload the page to update it.");
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
