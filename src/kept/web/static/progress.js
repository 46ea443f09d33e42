// A page that shows work in progress: its part with `data-at-work` is loaded again until the work has ended.

import { find, requestFragment } from "./page.js";

const FIRST_MS = 1000;
const LONGEST_MS = 10000;

export function start(wait = FIRST_MS) {
  if (find("[data-at-work]")?.dataset.atWork === "yes") setTimeout(update, wait, wait);
}

async function update(wait) {
  try {
    const part = find("[data-at-work]");
    const isInUse = part.matches("#queue") && part.contains(document.activeElement);
    if (!document.hidden && !isInUse) {
      const current = find("[data-at-work]", await requestFragment(location.href, { quiet: true }));
      if (current && current.outerHTML !== part.outerHTML) part.replaceWith(current);
    }
  } catch {
    // tried again soon
  }
  start(Math.min(wait * 1.1, LONGEST_MS));
}
