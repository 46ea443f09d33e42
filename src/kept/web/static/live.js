// Live updates: server-sent events name the items that changed. The stream is open only while the page is visible.

const RETRY_MS = 30000;

// `page` has the latest event it shows; `handlers` is a function for each kind of event, called with its data and id.
export function start(page, handlers) {
  let source;
  let lastEventId = page.dataset.eventsAfter;

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(`/events?after=${lastEventId}`);
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
        lastEventId = event.lastEventId;
        handle(JSON.parse(event.data), event.lastEventId);
      });
    }
    source.addEventListener("open", () => { page.dataset.live = "yes"; });
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

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  document.addEventListener("signed-in", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
