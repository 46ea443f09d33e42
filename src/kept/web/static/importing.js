// An import at work: the page is read again every second until it is over.

import { ask, find, pieces } from "./page.js";

const EVERY_MS = 1000;

export function start() {
  if (find("#import").dataset.atWork !== "yes") return;
  setTimeout(look, EVERY_MS);
}

async function look() {
  try {
    const fresh = find("#import", pieces(await (await ask(location.href)).text()));
    if (fresh) find("#import").replaceWith(fresh);
  } catch {
    // the next look may do better
  }
  start();
}
