// The reader: remembers how far one has read, and lets what is too wide be scrolled by keyboard.

import { ask, announce, find, findAll, send } from "./page.js";

const main = find("main[data-item]");
const prose = find("#prose");
let reached = Number(main.dataset.progress);
let kept = reached;
let isRead = false;

function progress() {
  const { top, height } = prose.getBoundingClientRect();
  return Math.min(1, Math.max(0, (innerHeight - top) / Math.max(height, 1)));
}

function remember() {
  if (Math.abs(reached - kept) < 0.01 && !(reached === 1 && kept < 1)) return;
  kept = reached;
  const said = { progress: Math.round(reached * 1000) / 1000 };
  if (reached > 0.985 && !isRead) isRead = said.is_read = true;
  ask(`/api/v1/items/${main.dataset.item}`, {
    method: "PATCH",
    keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(said),
  }).catch(() => {});
}

function goBackTo(share) {
  if (share < 0.02 || share > 0.985 || location.hash) return;
  const { top, height } = prose.getBoundingClientRect();
  scrollTo({ top: scrollY + top + height * share - innerHeight, behavior: "instant" });
}

// What scrolls sideways must be reachable without a mouse.
function openUp() {
  for (const wide of findAll("pre, table", prose)) {
    if (wide.scrollWidth <= wide.clientWidth) continue;
    wide.tabIndex = 0;
    if (wide.matches("pre")) {
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", "Code");
    }
  }
}

export const moves = {
  j: () => find(".neighbours .older")?.click(),
  k: () => find(".neighbours .newer")?.click(),
  o: () => false,
  u: () => find("#up").click(),
  v: () => find(".original")?.click(),
  s: () => find(".reader-bar .star").click(),
  a: () => find(".reader-bar .archive").click(),
  t: () => find(".reader-bar .edit").click(),
};

async function press(form, button) {
  try {
    await send(form, button);
    const isOn = !button.value.startsWith("un");
    button.setAttribute("aria-pressed", String(isOn));
    button.value = isOn ? `un${button.value}` : button.value.slice(2);
  } catch (problem) {
    announce(problem.message);
  }
}

export function start() {
  goBackTo(reached);
  openUp();
  let waiting;
  addEventListener("scroll", () => {
    reached = progress();
    clearTimeout(waiting);
    waiting = setTimeout(remember, 1200);
  }, { passive: true });
  addEventListener("pagehide", remember);
  document.addEventListener("visibilitychange", () => document.hidden && remember());
  find(".reader-bar .deeds").addEventListener("submit", (event) => {
    event.preventDefault();
    press(event.target, event.submitter);
  });
}
