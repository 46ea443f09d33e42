// Live updates: server-sent events name the items that changed. The stream is open only while the page is visible.

import { find } from "./page.js";
import { refresh, reloadOrTell } from "./list.js";

const RETRY_MS = 30000;
const list = find("#cards");
let source;
let lastEventId = list.dataset.eventsAfter;

function open() {
  if (source || document.hidden) return;
  source = new EventSource(`/events?after=${lastEventId}`);
  source.addEventListener("item", (event) => {
    lastEventId = event.lastEventId;
    refresh(JSON.parse(event.data).item);
  });
  source.addEventListener("stale", (event) => {
    lastEventId = event.lastEventId;
    reloadOrTell();
  });
  source.addEventListener("open", () => { list.dataset.live = "yes"; });
  source.addEventListener("error", () => {
    // Refused, because the session has ended: a browser does not try that again by itself.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    setTimeout(open, RETRY_MS);
  });
}

function close() {
  source?.close();
  source = undefined;
}

export function start() {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  document.addEventListener("signed-in", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
