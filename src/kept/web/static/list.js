// The list of cards: saving, actions, search and paging without loading the page again.

import { find, findAll, parseFragment, requestFragment, showToast, submit } from "./page.js";

const list = find("#cards");

export const cards = () => findAll(".card[data-item]", list);

// Replaces the card if it is in the list; else puts it first if `first` is set.
export function insertCard(card, { first = false } = {}) {
  const old = document.getElementById(card.id);
  hideBrokenImages(card);
  if (old) {
    const isSelected = find(".pick input", old)?.checked;
    const hadFocus = old.contains(document.activeElement);
    if (old.classList.contains("current")) card.classList.add("current");
    old.replaceWith(card);
    if (isSelected) find(".pick input", card).checked = true;
    if (hadFocus) find("h2 a", card).focus();
  } else if (first) {
    card.classList.add("new");
    find("#empty")?.remove();
    list.prepend(card);
  }
  return card;
}

// While a link is being saved, cards announced by the server wait: one of them may be the card of that link.
let saving = 0;
const waiting = new Set();

export async function refresh(item, { first = false } = {}) {
  const old = document.getElementById(`card-${item}`);
  if (!old && !first) return;
  if (!old && saving) return waiting.add(item);
  try {
    const fragment = await requestFragment(`/cards/${item}?back=${encodeURIComponent(list.dataset.back)}`);
    const card = find(".card", fragment);
    // An item that was united with another is answered with the other.
    if (card.dataset.item !== item) old?.remove();
    insertCard(card, { first: first && card.dataset.library === list.dataset.library });
  } catch (error) {
    if (error.status === 404) old?.remove();
  }
}

// An image that cannot be loaded is hidden, so that the placeholder below it shows.
function hideBrokenImages(within) {
  for (const image of findAll(".card-image img", within)) {
    const hide = () => image.classList.add("broken");
    image.addEventListener("error", hide, { once: true });
    if (image.complete && !image.naturalWidth && image.currentSrc) hide();
  }
}

function makePlaceholder(url) {
  const card = document.createElement("article");
  card.className = "card loading";
  card.innerHTML = '<div class="card-image"></div><div class="card-text"><h2></h2><p class="card-meta"><span>Saving…</span></p></div>';
  find("h2", card).textContent = url.replace(/^https?:\/\//, "").slice(0, 100);
  return card;
}

async function save(form) {
  const input = find("#add-url");
  const error = find("#add-error");
  const url = input.value.trim();
  const placeholder = makePlaceholder(url);
  error.hidden = true;
  find("#empty")?.remove();
  list.prepend(placeholder);
  saving += 1;
  const submitted = submit(form);
  input.value = "";
  try {
    const response = await submitted;
    const fragment = parseFragment(await response.text());
    const card = find(".card", fragment);
    showToast(find(".notice", fragment) ?? (response.status === 200 ? "Already saved." : `Saved: ${find("h2", card).textContent}`));
    if (document.getElementById(card.id)) insertCard(card);
    else placeholder.before(insertCard(card, { first: true }));
  } catch (problem) {
    error.textContent = problem.message;
    error.hidden = false;
    input.value = url;
    input.focus();
  } finally {
    placeholder.remove();
    saving -= 1;
    for (const item of waiting) if (!saving && waiting.delete(item)) refresh(item, { first: true });
  }
}

export async function act(form, button) {
  const items = new FormData(form).getAll("item");
  try {
    const fragment = parseFragment(await (await submit(form, button)).text());
    const remaining = findAll(".card", fragment);
    const notice = find(".notice", fragment);
    for (const card of remaining) insertCard(card);
    for (const item of items) {
      if (!remaining.some((card) => card.dataset.item === item)) removeCard(document.getElementById(`card-${item}`));
    }
    if (notice && (remaining.length < items.length || items.length > 1)) showToast(notice);
  } catch (problem) {
    showToast(problem.message);
  }
}

function removeCard(card) {
  if (!card) return;
  const next = card.nextElementSibling?.dataset.item ? card.nextElementSibling : card.previousElementSibling;
  if (card.classList.contains("current") || card.contains(document.activeElement)) makeCurrent(next);
  card.remove();
}

export const current = () => find(".card.current", list);

export function makeCurrent(card) {
  current()?.classList.remove("current");
  if (!card?.dataset.item) return;
  card.classList.add("current");
  find("h2 a", card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}

export function openTags(item, tags) {
  const dialog = find("#tag-box");
  const form = find("form", dialog);
  form.action = `/items/${item}`;
  form.tags.value = tags;
  dialog.showModal();
}

async function saveTags(form) {
  const item = form.action.split("/").pop();
  form.closest("dialog").close();
  try {
    const card = find(".card", parseFragment(await (await submit(form)).text()));
    if (card) insertCard(card);
    else removeCard(document.getElementById(`card-${item}`));
  } catch (problem) {
    showToast(problem.message);
  }
}

// Infinite scroll: the next page is loaded when its link comes near. Without scripts the link is followed.
let observeMore = () => {};

function startInfiniteScroll() {
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    const more = entry.target;
    observer.unobserve(more);
    try {
      const next = await requestFragment(find("a", more).href);
      hideBrokenImages(next);
      for (const card of findAll(".card", next)) if (document.getElementById(card.id)) card.remove();
      more.replaceWith(next);
      observeMore();
    } catch {
      observer.observe(more);
    }
  }, { rootMargin: "1200px" });
  observeMore = () => findAll(".more", list).forEach((more) => observer.observe(more));
  observeMore();
}

// Search while typing. Without scripts the form is sent.
function startSearch(input) {
  let timer = 0;
  let shown = input.value.trim();
  const search = async () => {
    const text = input.value.trim();
    if (text === shown) return;
    shown = text;
    const url = `/?${new URLSearchParams(new FormData(input.form))}`;
    try {
      const results = await requestFragment(url);
      if (text !== shown) return;
      hideBrokenImages(results);
      list.replaceChildren(results);
      list.dataset.back = url;
      delete list.dataset.newFirst;
      history.replaceState(null, "", url);
      showEmptyState(text);
      observeMore();
    } catch {
      shown = null;
    }
  };
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!event.isComposing) timer = setTimeout(search, 200);
  });
}

function showEmptyState(text) {
  find("#empty")?.remove();
  if (cards().length) return;
  const empty = document.createElement("div");
  empty.id = empty.className = "empty";
  empty.append(Object.assign(document.createElement("p"), { textContent: text ? `No results for "${text.slice(0, 80)}"` : "No pages." }));
  list.after(empty);
}

export function start() {
  hideBrokenImages(list);
  startInfiniteScroll();
  startSearch(find("#search"));
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const handle = form.matches(".add-box") ? save : form.matches(".card .actions") ? act : form.closest("#tag-box") ? saveTags : null;
    if (!handle) return;
    event.preventDefault();
    handle(form, event.submitter);
  });
  list.addEventListener("change", () => {
    const number = findAll(".pick input:checked", list).length;
    find(".bulk .selected-count").textContent = `${number} selected`;
  });
}
