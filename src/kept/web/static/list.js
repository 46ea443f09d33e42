// The list of cards: saving, actions, undo, editing, search and paging without loading the page again.

import { find, findAll, guard, make, onSubmit, parseFragment, request, requestFragment, showToast, submit, submitForFragment, t } from "./page.js";
import { showFormError } from "./session.js";
import { rememberPlace, returnToPlace } from "./place.js";

const list = find("#cards");
const CONTROLS = ["star", "archive", "edit", "trash"];
const MAX_REFRESHED = 50;
const ONE_PAGE = 24;
const isLaterPage = location.search.includes("cursor=");

export const cards = () => findAll(".card[data-item]", list);
const cardOf = (item) => find(`#card-${item}`);
const query = () => new URLSearchParams(list.dataset.back.slice(1));

// What the server sent of each card. One that is the same stays, so that no finger or image loses it.
const sent = new WeakMap();

// Replaces the card if it is in the list; else puts it where its date belongs.
function insertCard(card) {
  const old = cardOf(card.dataset.item);
  const html = card.outerHTML;
  if (old && sent.get(old) === html) return;
  sent.set(card, html);
  hideBrokenImages(card);
  if (!old) {
    card.classList.add("new");
    return place(card);
  }
  const isSelected = find(".pick input", old)?.checked;
  const focused = old.contains(document.activeElement) && document.activeElement;
  if (old.classList.contains("current")) card.classList.add("current");
  if (added(old) === added(card)) old.replaceWith(card);
  else {
    old.remove();
    place(card);
  }
  if (isSelected) find(".pick input", card).checked = true;
  if (focused) {
    const name = focused.matches(".pick input") ? "pick input" : CONTROLS.find((one) => focused.classList.contains(one));
    (find(`.${name}`, card) ?? find("h2 a", card)).focus({ preventScroll: true });
  }
}

const added = (card) => find("time", card).dateTime;

// What belongs after the last card that is loaded comes with its page. What a search ranks has no place by its date.
function place(card) {
  if (query().has("q") || isLaterPage) return;
  const isOldestFirst = query().get("sort") === "oldest";
  const next = cards().find((other) => (isOldestFirst ? added(other) > added(card) : added(other) <= added(card)));
  if (!next && find(".more", list)) return;
  find("#empty")?.remove();
  if (next) next.before(card);
  else list.append(card);
}

// Shows what the server answered about these items: those it left out are no longer in this list.
function update(fragment, items) {
  const shown = findAll(".card", fragment);
  for (const item of items) if (!shown.some((card) => card.dataset.item === item)) removeCard(cardOf(item));
  shown.forEach(insertCard);
  countSelected();
  if (!cards().length && !find("#empty") && !find(".more", list)) reload();
}

function removeCard(card) {
  if (!card) return;
  const next = card.nextElementSibling?.dataset.item ? card.nextElementSibling : card.previousElementSibling;
  if (card.classList.contains("current") || card.contains(document.activeElement)) makeCurrent(next);
  card.remove();
}

// --- live updates: items that changed are asked for together, one request at a time ---

const changed = new Set();
let isRefreshing = false;
// While a link is being saved, changed cards wait: one of them may be the card of that link.
let saving = 0;

export function refresh(item) {
  changed.add(item);
  if (!isRefreshing && !saving) refreshChanged();
}

async function refreshChanged() {
  isRefreshing = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const items = [...changed].filter((item) => cardOf(item) || !query().has("q"));
  changed.clear();
  try {
    if (items.length > MAX_REFRESHED) reloadOrTell();
    else if (items.length) {
      const asked = new URLSearchParams([...items.map((item) => ["item", item]), ["back", list.dataset.back]]);
      update(await requestFragment(`/cards?${asked}`, { quiet: true }), items);
    }
  } catch {
    // shown when the page is loaded again
  }
  isRefreshing = false;
  if (changed.size && !saving) refreshChanged();
}

// Loads the list again, unless somebody is far down in it or has selected something.
export function reloadOrTell() {
  if (cards().length > ONE_PAGE || find(".pick input:checked", list)) showToast(t("This list has changed. Reload the page to update it."));
  else reload();
}

async function reload() {
  try {
    show(await requestFragment(list.dataset.back, { quiet: true }), list.dataset.back);
  } catch {
    // shown when the page is loaded again
  }
}

function show(fragment, url) {
  const empty = find("#empty", fragment);
  find("#empty")?.remove();
  for (const part of ["#summary", ".order"]) find(part).replaceWith(find(part, fragment));
  if (empty) list.after(empty);
  hideBrokenImages(fragment);
  list.replaceChildren(fragment);
  list.dataset.back = url;
  for (const field of findAll("input[name=back]")) if (!list.contains(field)) field.value = url;
  countSelected();
  observeMore();
}

// An image that cannot be loaded is hidden, so that the placeholder below it shows.
function hideBrokenImages(within) {
  for (const image of findAll(".card img", within)) {
    const hide = () => image.classList.add("broken");
    image.addEventListener("error", hide, { once: true });
    if (image.complete && !image.naturalWidth && image.currentSrc) hide();
  }
}

// --- saving a link ---

function makePlaceholder(url, text = t("Saving…")) {
  const card = make("article", { className: "card loading" });
  card.innerHTML = '<div class="card-image"></div><div class="card-text"><h2></h2><p class="card-meta"><span></span></p></div>';
  find("span", card).textContent = text;
  find("h2", card).textContent = url.replace(/^https?:\/\//, "").slice(0, 100);
  return card;
}

// A placeholder until the answer comes with the card.
async function saveWhile(name, sent) {
  const placeholder = makePlaceholder(name);
  find("#empty")?.remove();
  list.prepend(placeholder);
  saving += 1;
  try {
    const response = await sent;
    const fragment = parseFragment(await response.text());
    const card = find(".card", fragment);
    showToast(find(".notice", fragment) ?? (response.status === 200 ? t("Already saved.") : t("Saved: {title}", { title: find("h2", card).textContent })));
    hideBrokenImages(card);
    cardOf(card.dataset.item)?.remove();
    placeholder.before(card);
  } finally {
    placeholder.remove();
    saving -= 1;
    if (!saving && changed.size && !isRefreshing) refreshChanged();
  }
}

async function save(form) {
  const input = find("#add-url");
  const error = find("#add-error");
  const text = input.value.trim();
  const links = text.split(/[,;]?(?:\s+|$)/).filter((word) => /^https?:\/\//i.test(word));
  const urls = links.length > 1 ? [...new Set(links)] : [text]; // a list can be pasted, with other words in it
  const refused = [];
  error.hidden = true;
  input.ariaInvalid = null;
  input.value = "";
  await Promise.all(urls.map((url) => saveWhile(url, submit(form, null, (values) => values.set("url", url))).catch((problem) => {
    if (problem.isQueued) return showToast(problem.message);
    error.textContent = problem.message;
    refused.push(url);
  })));
  if (!refused.length) return;
  error.hidden = false;
  input.value = [...refused, input.value].join(" ").trim(); // the next one may have been typed meanwhile
  input.ariaInvalid = "true";
  input.focus();
}

// Files that are dropped on the list become documents.
function upload(file) {
  const body = new FormData(find(".add-box"));
  body.append("library_id", body.get("library") ?? "");
  body.append("file", file);
  return saveWhile(file.name, request("/add/file", { method: "POST", body }));
}

async function drop(event) {
  const { types, files } = event.dataTransfer;
  if (!find(".add-box") || !types.includes("Files")) return;
  event.preventDefault();
  for (const file of [...files]) await guard(upload(file));
}

// Links that were saved offline and wait to be sent.
function showWaiting(changes) {
  findAll(".card.waiting", list).forEach((card) => card.remove());
  for (const { url, body } of changes) {
    if (url !== "/api/v1/items") continue;
    const card = makePlaceholder(JSON.parse(body).url, t("Waiting to be sent"));
    card.className = "card waiting";
    list.prepend(card);
  }
}

// --- actions ---

async function act(form, button) {
  const items = new FormData(form).getAll("item");
  const fragment = await submitForFragment(form, button);
  const notice = find(".notice", fragment);
  if (form.id === "bulk" && notice && find("form", notice)) clearSelection();
  find(".menu[open]", form)?.removeAttribute("open");
  update(fragment, items);
  if (notice && !(button?.matches(".star") && items.every(cardOf))) showToast(notice);
}

async function undo(form) {
  const fragment = await submitForFragment(form);
  form.closest(".notice").remove();
  if (query().has("q")) await reload();
  else update(fragment, []);
  showToast(find(".notice", fragment));
}

export const current = () => find(".card.current", list);

export function makeCurrent(card) {
  current()?.classList.remove("current");
  if (!card?.dataset.item) return;
  card.classList.add("current");
  find("h2 a", card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}

async function edit(link) {
  const box = find("#edit-box");
  const fragment = await requestFragment(link.href);
  box.replaceChildren(find(".item-form", fragment)); // offline it comes with its page
  find(".cancel", box)?.addEventListener("click", (event) => {
    event.preventDefault();
    box.close();
  });
  box.showModal();
}

// What was left as it is may have been changed elsewhere meanwhile.
const dropUnchanged = (form) => (values) => findAll("[name]:not([type=hidden])", form).forEach((field) => {
  if (field.value === (field.defaultValue ?? find("[selected]", field)?.value)) values.delete(field.name);
});

async function saveItem(form) {
  try {
    const fragment = await submitForFragment(form, null, dropUnchanged(form));
    form.closest("dialog").close();
    update(fragment, [form.action.split("/").pop()]);
    showToast(find(".notice", fragment));
  } catch (problem) {
    if (!problem.isQueued) return showFormError(form, problem.message, form.elements.tags);
    form.closest("dialog").close();
    showToast(problem.message);
  }
}

// --- selection ---

let lastPicked;

function pick(box, isRange) {
  const boxes = findAll(".pick input", list);
  const from = boxes.findIndex((other) => other.value === lastPicked);
  if (isRange && from >= 0) {
    const [first, last] = [from, boxes.indexOf(box)].sort((one, other) => one - other);
    for (const other of boxes.slice(first, last + 1)) other.checked = box.checked;
  }
  lastPicked = box.value;
  countSelected();
}

function countSelected() {
  const number = findAll(".pick input:checked", list).length;
  find(".bulk .selected-count").textContent = t("{number} selected", { number });
}

function selectAll(isSelected) {
  for (const box of findAll(".pick input", list)) box.checked = isSelected;
  countSelected();
}

export const clearSelection = () => selectAll(false);

function startSelection() {
  for (const [id, isSelected] of [["#select-all", true], ["#select-none", false]]) {
    const button = find(id);
    button.hidden = false;
    button.addEventListener("click", () => selectAll(isSelected));
  }
  list.addEventListener("click", (event) => {
    if (event.target.matches(".pick input")) pick(event.target, event.shiftKey);
    const link = event.target.closest(".edit");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    guard(edit(link));
  });
  countSelected();
}

// --- infinite scroll: the next page is loaded when its link comes near; without scripts the link is followed ---

let observeMore = () => {};

// Whether there was a next page.
async function loadMore() {
  const more = find(".more", list);
  if (!more) return false;
  const next = await requestFragment(find("a", more).href, { quiet: true });
  hideBrokenImages(next);
  for (const card of findAll(".card", next)) if (cardOf(card.dataset.item)) card.remove();
  more.replaceWith(next);
  return true;
}

function startInfiniteScroll() {
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    await loadMore().then(observeMore, () => setTimeout(observeMore, 5000));
  }, { rootMargin: "1200px" });
  observeMore = () => {
    observer.disconnect();
    findAll(".more", list).forEach((more) => observer.observe(more));
  };
  observeMore();
}

// --- search while typing; without scripts the form is sent ---

function startSearch(input) {
  let timer = 0;
  let shown = input.value.trim();
  const search = async () => {
    const text = input.value.trim();
    if (text === shown) return;
    shown = text;
    const values = [...new FormData(input.form)].filter(([, value]) => value.trim());
    const url = values.length ? `/?${new URLSearchParams(values)}` : "/";
    try {
      const results = await requestFragment(url);
      if (text !== shown) return;
      show(results, url);
      history.replaceState(null, "", url);
    } catch {
      shown = null;
    }
  };
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!event.isComposing) timer = setTimeout(search, 200);
  });
}

export async function start() {
  hideBrokenImages(list);
  startSearch(find("#search"));
  startSelection();
  const handlers = { ".add-box": save, ".card .actions,#bulk": act, "form.undo": undo, "#edit-box form": saveItem };
  for (const [selector, handle] of Object.entries(handlers)) onSubmit(selector, (form, button) => guard(handle(form, button)));
  document.ondragover = document.ondrop = drop;
  document.addEventListener("changes-waiting", ({ detail }) => showWaiting(detail));
  addEventListener("pagehide", () => rememberPlace(list, cards()));
  addEventListener("beforeunload", (event) => saving > 1 && event.preventDefault());
  await returnToPlace(list, { cardOf, cards, loadMore, makeCurrent });
  startInfiniteScroll();
}
