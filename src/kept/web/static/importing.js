// The page of a running import: loads its state every second until the import has ended.

import { find, requestFragment } from "./page.js";

const INTERVAL_MS = 1000;

export function start() {
  if (find("#import").dataset.atWork !== "yes") return;
  setTimeout(update, INTERVAL_MS);
}

async function update() {
  try {
    const current = find("#import", await requestFragment(location.href));
    if (current) find("#import").replaceWith(current);
  } catch {
    // tried again in a second
  }
  start();
}
