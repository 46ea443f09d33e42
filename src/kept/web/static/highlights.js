// Highlights in the reader: a bar for selected text, and a box that changes a highlight. The server draws the marks.

import { find, findAll, guard, onSubmit, request, requestFragment, showToast, submit, submitForFragment, t } from "./page.js";

const CONTEXT = 32; // code points kept on either side of a quote
const LONGEST = 20001; // the server says what is too long
export const BLOCKS = "p,h1,h2,h3,h4,h5,h6,li,dt,dd,blockquote,pre,figcaption,caption,td,th,summary,details,figure,div,section,ul,ol,dl";

const main = find("main[data-item]");
const prose = find("#prose");
const bar = find("#selection-bar");
const box = find("#highlight-box");
let selected = null;
let colour = "yellow";
let isDragging = false;

// --- the selected text ---

function rangeWithin(start, startOffset, end, endOffset) {
  const range = new Range();
  range.setStart(start, startOffset);
  range.setEnd(end, endOffset);
  return range;
}

// The selection, cut to the article; null if nothing of the article is selected.
function readSelection() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0).cloneRange();
  if (!range.intersectsNode(prose)) return null;
  if (range.isPointInRange(prose, 0)) range.setStart(prose, 0);
  if (range.isPointInRange(prose, prose.childNodes.length)) range.setEnd(prose, prose.childNodes.length);
  return range.toString().trim() ? range : null;
}

// The text of a range as the article's markup has it, also of what is folded away; blocks and <br> begin a new line.
function textOf(range) {
  const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let text = "";
  let block = null;
  do {
    const node = walker.currentNode;
    if (!range.intersectsNode(node)) continue;
    if (node.nodeName === "BR") text += "\n";
    if (node.nodeType !== Node.TEXT_NODE) continue;
    const inside = node.parentElement.closest(BLOCKS);
    if (block && inside !== block) text += "\n";
    block = inside;
    text += node.data.slice(node === range.startContainer ? range.startOffset : 0, node === range.endContainer ? range.endOffset : undefined);
  } while (walker.nextNode());
  return text;
}

const fold = (text) => [...text.replace(/\s+/g, " ")];

function describe(range) {
  const before = fold(textOf(rangeWithin(prose, 0, range.startContainer, range.startOffset)));
  const after = fold(textOf(rangeWithin(range.endContainer, range.endOffset, prose, prose.childNodes.length)));
  return {
    exact: [...textOf(range).trim()].slice(0, LONGEST).join(""),
    prefix: before.slice(-CONTEXT).join(""),
    suffix: after.slice(0, CONTEXT).join(""),
    hint: before.length,
  };
}

// --- showing ---

// Above `around` if there is room under the reader's bar, else below it. On a phone the stylesheet says where.
function place(element, around) {
  const { top, bottom, left } = around.getBoundingClientRect();
  const above = top - element.offsetHeight - 10;
  const y = above > 56 ? above : Math.min(bottom + 10, innerHeight - element.offsetHeight - 10);
  const x = Math.max(8, Math.min(left, document.documentElement.clientWidth - element.offsetWidth - 8));
  element.style.setProperty("--x", `${x + scrollX}px`);
  element.style.setProperty("--y", `${Math.max(56, y) + scrollY}px`);
}

function showBar() {
  if (isDragging) return;
  selected = box.open ? null : readSelection();
  bar.hidden = !selected;
  if (selected) place(bar, selected);
  else showChangesIfIdle();
}

// Makes `old` like `fresh` and leaves alone what is the same, so that images, scrolling and focus stay.
function update(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  const isAlike = (node, index) => node.nodeName === after[index].nodeName && node.nodeName !== "MARK" && node.nodeValue === after[index].nodeValue;
  if (before.length === after.length && before.every(isAlike)) before.forEach((node, index) => update(node, after[index]));
  else old.replaceChildren(...after);
}

async function refresh(options) {
  isStale = false;
  const fragment = await requestFragment(location.pathname + location.search, options);
  if (options?.quiet && isBusy()) {
    isStale = true;
    return;
  }
  const fresh = find(".prose", fragment);
  const focused = document.activeElement.closest("mark[id], #highlights li")?.id;
  main.dataset.eventsAfter = fresh.dataset.eventsAfter;
  makeFocusable(fresh);
  update(prose, fresh);
  showList(find("#highlights", fragment));
  if (focused && document.activeElement === document.body) focusOn(focused);
}

function showList(fresh) {
  const old = find("#highlights");
  const scrolled = find(".scroller", old).scrollTop;
  if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
  find("#highlights .scroller").scrollTop = scrolled;
  find("#to-highlights").hidden = find("#highlights").hidden;
}

function makeFocusable(article) {
  for (const mark of findAll("mark[id^='h-']", article)) {
    mark.tabIndex = 0;
    mark.setAttribute("aria-describedby", "highlight-hint");
  }
}

// --- changed in another tab, or on another device ---

let isStale = false;

// Later, if somebody selects text or writes a note: it must not change under their hands.
export function showChanges({ item } = {}, eventId) {
  const isOfOtherItem = item && item !== main.dataset.item;
  if (!isOfOtherItem && eventId !== main.dataset.eventsAfter) isStale = true; // the page has its own change already
  showChangesIfIdle();
}

const isBusy = () => isDragging || box.open || Boolean(readSelection());

function showChangesIfIdle() {
  if (!isStale || isBusy()) return;
  last = last.then(() => isStale && refresh({ quiet: true })).catch(() => {}); // shown when the page is loaded again
}

// --- doing ---

// One after the other; what goes wrong is shown.
let last = Promise.resolve();
function inTurn(work) {
  last = guard(last.then(work));
  return last;
}

function create(chosen = colour) {
  const range = readSelection() ?? selected;
  if (!range) {
    showToast(t("Select some text of the article first."));
    return undefined;
  }
  const body = JSON.stringify({ ...describe(range), colour: chosen });
  colour = chosen;
  select(null);
  return inTurn(async () => {
    const headers = { "Content-Type": "application/json" };
    const answer = await request(`/api/v1/media/${main.dataset.media}/highlights`, { method: "POST", headers, body }).catch((problem) => {
      if (problem.isQueued) markWaiting(range);
      else select(range);
      throw problem;
    });
    const { data } = await answer.json();
    await refresh();
    focusOn(`h-${data.id}`);
    return data.id;
  });
}

// Marked offline: shown until the server, which draws the marks, has it.
function markWaiting(range) {
  const marks = window.CSS?.highlights;
  if (marks) marks.set("waiting", new Highlight(range, ...(marks.get("waiting") ?? [])));
}

function select(range) {
  getSelection().removeAllRanges();
  if (range) getSelection().addRange(range);
  selected = range;
  bar.hidden = !range;
}

async function copy(quote) {
  const text = `“${quote.trim()}”\n— ${find(".article h1").textContent.trim()}\n${main.dataset.original ?? ""}`.trim();
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyWithoutClipboard(text);
    showToast(t("Quote copied."));
  } catch {
    showToast(t("The browser did not allow copying."));
  }
}

// On plain HTTP, as in a home network, there is no navigator.clipboard.
function copyWithoutClipboard(text) {
  const put = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", put, { once: true });
  if (!document.execCommand("copy")) throw new Error();
}

// `from` is "h" for the mark, "l" for the entry in the list.
function openBox(id, { from = "h", toNote = false } = {}) {
  return inTurn(async () => {
    const fragment = await requestFragment(`/highlights/${id}?back=${encodeURIComponent(location.pathname)}`);
    if (box.open) await closeBox();
    box.replaceChildren(fragment);
    box.dataset.from = `${from}-${id}`;
    bar.hidden = true;
    box.show();
    place(box, find(`#${box.dataset.from}`) ?? prose);
    find(toNote ? "textarea" : ":checked", box).focus({ preventScroll: true });
    showEntry(id);
  });
}

function showEntry(id) {
  for (const entry of findAll("#highlights .current")) entry.classList.remove("current");
  const entry = find(`#l-${id}`);
  entry?.classList.add("current");
  if (entry) entry.closest(".scroller").scrollTop = entry.offsetTop - 48;
}

const isDirty = () => box.open && find("textarea", box).value !== find("textarea", box).defaultValue;

// Saves a note that was changed; while that fails, the box stays open.
async function closeBox({ toList = false } = {}) {
  if (isDirty()) {
    await submit(find("form", box));
    await refresh();
  }
  if (toList) box.close();
  else leaveBox();
}

function leaveBox() {
  box.close();
  focusOn(box.dataset.from);
}

// The mark, or the link in the list; the page if it is gone.
function focusOn(id) {
  (find(`#${id}[tabindex], #${id} .edit`) ?? main).focus({ preventScroll: true });
}

function submitBox(form, button) {
  return inTurn(async () => {
    const notice = find(".notice", await submitForFragment(form, button));
    await refresh();
    leaveBox();
    if (notice) showToast(notice);
  });
}

// A colour is saved as soon as it is chosen; the note stays as it is being written.
function chooseColour(form) {
  colour = form.colour.value;
  return inTurn(async () => {
    await submit(form);
    form.note.defaultValue = form.note.value;
    await refresh();
  });
}

const undo = (form) => inTurn(async () => {
  await submit(form);
  find("#toast").replaceChildren();
  await refresh();
});

// --- events ---

const noteSelected = async () => {
  const id = await create();
  if (id) await openBox(id, { toNote: true });
};

export const shortcuts = {
  h: () => {
    create();
  },
  n: () => {
    const mark = document.activeElement.closest("mark[data-highlight]");
    if (readSelection()) noteSelected();
    else if (mark) openBox(mark.dataset.highlight, { toNote: true });
    else return null; // the shortcut of every page
    return undefined;
  },
};

function startBar() {
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(showBar, 150);
  };
  document.addEventListener("selectionchange", later);
  addEventListener("resize", later);
  document.addEventListener("pointerdown", (event) => { isDragging = event.pointerType === "mouse" && !bar.contains(event.target); });
  document.addEventListener("pointerup", () => {
    isDragging = false;
    later();
  });
  for (const type of ["pointerdown", "mousedown"]) bar.addEventListener(type, (event) => event.preventDefault()); // the selection stays
  bar.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button?.value) create(button.value);
    else if (button?.matches(".note-button")) noteSelected();
    else if (button) copy(getSelection().toString() || selected.toString());
  });
}

function startBox() {
  onSubmit("form", submitBox, box);
  box.addEventListener("change", ({ target }) => {
    if (target.name === "colour") chooseColour(target.form);
  });
  box.addEventListener("click", (event) => {
    if (event.target.closest(".copy")) copy(find("blockquote", box).textContent);
    if (event.target.closest(".in-list")) inTurn(() => closeBox({ toList: true }));
    if (!event.target.closest(".cancel")) return;
    event.preventDefault();
    leaveBox();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaveBox();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("form", box).requestSubmit();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (box.open && !box.contains(target) && !target.closest("mark[data-highlight],#toast")) inTurn(() => box.open && closeBox());
  });
  box.addEventListener("close", showChangesIfIdle);
  addEventListener("beforeunload", (event) => {
    if (isDirty()) event.preventDefault();
  });
}

function startMarks() {
  makeFocusable(prose);
  document.addEventListener("changes-sent", () => inTurn(async () => {
    await refresh();
    window.CSS?.highlights?.delete("waiting");
  }));
  main.addEventListener("click", (event) => {
    const edit = event.target.closest("#highlights .edit");
    const mark = event.target.closest("mark[data-highlight]");
    if (edit) event.preventDefault();
    else if (!mark || event.target.closest("a") || !getSelection().isCollapsed) return;
    openBox((edit ?? mark).dataset.highlight, { from: edit ? "l" : "h" });
  });
  prose.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("mark[data-highlight]")) return;
    event.preventDefault();
    openBox(event.target.dataset.highlight);
  });
  onSubmit("[action$='/restore']", undo);
}

export function start() {
  startBar();
  startBox();
  startMarks();
}
