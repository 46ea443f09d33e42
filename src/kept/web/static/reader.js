// The reader: saves the reading progress, marks the section one is in, opens images large, and makes wide tables and code
// scroll by keyboard.

import { find, findAll, guard, make, onSubmit, request, showToast, submitForFragment, t } from "./page.js";

const main = find("main[data-item]");
const prose = find("#prose");
let reached = Number(main.dataset.progress);
let saved = reached;
let isRead = false;

// In a document progress goes by pages: they are as long as they are with images, or without. An article is one page.
function findPages() {
  const pages = findAll("section[data-page]", prose);
  return pages.length ? pages : [prose];
}

function readProgress() {
  const pages = findPages();
  const at = Math.max(0, pages.findLastIndex((page) => page.getBoundingClientRect().top < innerHeight));
  if (pages[0] !== prose) {
    const position = find("#page-position");
    position.hidden = false;
    position.textContent = t("Page {number} of {count}", { number: at + 1, count: position.dataset.count });
  }
  const { top, height } = pages[at].getBoundingClientRect();
  return (at + Math.min(1, Math.max(0, (innerHeight - top) / Math.max(height, 1)))) / pages.length;
}

function saveProgress() {
  if (Math.abs(reached - saved) < 0.01 && !(reached === 1 && saved < 1)) return;
  saved = reached;
  const changes = { progress: Math.round(reached * 1000) / 1000 };
  if (reached > 0.985 && !isRead) isRead = changes.is_read = true;
  request(`/api/v1/items/${main.dataset.item}`, {
    method: "PATCH",
    quiet: true,
    keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(changes),
  }).catch(() => { saved = -1; }); // sent again with the next scroll
}

function scrollToProgress(share) {
  if (share < 0.02 || share > 0.985 || location.hash) return;
  const pages = findPages();
  const at = share * pages.length;
  const { top, height } = pages[Math.floor(at)].getBoundingClientRect();
  scrollTo({ top: scrollY + top + height * (at % 1) - innerHeight, behavior: "instant" });
}

// What scrolls sideways must be reachable without a mouse.
function makeWideFocusable() {
  for (const wide of findAll("pre,table", prose)) {
    if (wide.scrollWidth <= wide.clientWidth) continue;
    const isCode = wide.matches("pre");
    wide.tabIndex = 0;
    if (isCode) wide.role = "region";
    if (!find("caption", wide)) wide.ariaLabel = isCode ? t("Code") : t("Table");
  }
}

// The entry of the list of contents whose heading was passed last.
function markSection() {
  const links = findAll(".contents a");
  const current = links.findLast((link) => document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top < 100);
  for (const link of links) link.ariaCurrent = link === current;
}

function zoom(event) {
  const link = event.target.closest("a.zoom");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const box = find("#zoom");
  find("img", box)?.remove();
  box.append(make("img", { src: link.href, alt: find("img", link).alt }));
  box.showModal();
}

function startZoom() {
  document.addEventListener("click", zoom);
  // A click on the image shows it in its own size, a click beside it closes.
  find("#zoom").addEventListener("click", ({ target, currentTarget }) => {
    if (target.matches("img")) target.classList.toggle("full");
    else currentTarget.close();
  });
}

const press = (selector) => () => find(selector)?.click();

export const shortcuts = {
  j: press(".article-nav .next"),
  k: press(".article-nav .previous"),
  o: () => false,
  u: press("#up"),
  v: press(".original"),
  s: press(".reader-bar .star"),
  a: press(".reader-bar .archive"),
  t: press(".reader-bar .edit"),
};

// Favourite, archive, read, and the undo of each: the page stays, a message says what was done and leads on.
async function act(form, button) {
  const fragment = await submitForFragment(form, button);
  const next = find(".article-nav .next");
  showState(find(".card", fragment));
  showToast(find(".notice", fragment));
  if (next && form.matches(".actions")) find("#toast .close").before(make("a", { href: next.href }, t("Next article")));
}

function showState(card) {
  if (!card) return;
  const isArchived = find(".archive", card).value === "unarchive";
  const isRead = card.classList.contains("read");
  for (const name of ["star", "archive"]) {
    const [shown, current] = [find(`.reader-bar .${name}`), find(`.${name}`, card)];
    shown.value = current.value;
    shown.ariaPressed = current.ariaPressed;
  }
  const [read, archive] = findAll(".article-footer .actions button");
  Object.assign(read, { value: isRead ? "unread" : "read", textContent: isRead ? t("Mark as unread") : t("Mark as read") });
  Object.assign(archive, { value: isArchived ? "unarchive" : "archive", textContent: isArchived ? t("Unarchive") : t("Archive") });
}

export function start() {
  makeWideFocusable();
  scrollToProgress(reached);
  startZoom();
  markSection();
  let timer;
  addEventListener("scroll", () => {
    reached = readProgress();
    markSection();
    clearTimeout(timer);
    timer = setTimeout(saveProgress, 1200);
  }, { passive: true });
  addEventListener("pagehide", saveProgress);
  document.addEventListener("visibilitychange", () => document.hidden && saveProgress());
  onSubmit("form.actions,form.undo", (form, button) => guard(act(form, button)));
}
