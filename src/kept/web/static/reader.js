// The reader: saves the reading progress, and makes wide tables and code scroll by keyboard.

import { find, findAll, request, showToast, submit } from "./page.js";

const main = find("main[data-item]");
const prose = find("#prose");
let reached = Number(main.dataset.progress);
let saved = reached;
let isRead = false;

function readProgress() {
  const { top, height } = prose.getBoundingClientRect();
  return Math.min(1, Math.max(0, (innerHeight - top) / Math.max(height, 1)));
}

function saveProgress() {
  if (Math.abs(reached - saved) < 0.01 && !(reached === 1 && saved < 1)) return;
  saved = reached;
  const changes = { progress: Math.round(reached * 1000) / 1000 };
  if (reached > 0.985 && !isRead) isRead = changes.is_read = true;
  request(`/api/v1/items/${main.dataset.item}`, {
    method: "PATCH",
    keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(changes),
  }).catch(() => {});
}

function scrollToProgress(share) {
  if (share < 0.02 || share > 0.985 || location.hash) return;
  const { top, height } = prose.getBoundingClientRect();
  scrollTo({ top: scrollY + top + height * share - innerHeight, behavior: "instant" });
}

// What scrolls sideways must be reachable without a mouse.
function makeWideFocusable() {
  for (const wide of findAll("pre, table", prose)) {
    if (wide.scrollWidth <= wide.clientWidth) continue;
    wide.tabIndex = 0;
    if (wide.matches("pre")) {
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", "Code");
    }
  }
}

export const shortcuts = {
  j: () => find(".article-nav .older")?.click(),
  k: () => find(".article-nav .newer")?.click(),
  o: () => false,
  u: () => find("#up").click(),
  v: () => find(".original")?.click(),
  s: () => find(".reader-bar .star").click(),
  a: () => find(".reader-bar .archive").click(),
  t: () => find(".reader-bar .edit").click(),
};

async function toggle(form, button) {
  try {
    await submit(form, button);
    const isOn = !button.value.startsWith("un");
    button.setAttribute("aria-pressed", String(isOn));
    button.value = isOn ? `un${button.value}` : button.value.slice(2);
  } catch (problem) {
    showToast(problem.message);
  }
}

export function start() {
  scrollToProgress(reached);
  makeWideFocusable();
  let timer;
  addEventListener("scroll", () => {
    reached = readProgress();
    clearTimeout(timer);
    timer = setTimeout(saveProgress, 1200);
  }, { passive: true });
  addEventListener("pagehide", saveProgress);
  document.addEventListener("visibilitychange", () => document.hidden && saveProgress());
  find(".reader-bar .actions").addEventListener("submit", (event) => {
    event.preventDefault();
    toggle(event.target, event.submitter);
  });
}
