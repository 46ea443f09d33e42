// The library: a link saved is a card at once, and what is done to a card is done in place.

import { announce, ask, find, findAll, pieces, send } from "./page.js";

const list = find("#cards");
const address = () => encodeURIComponent(list.dataset.back);

export const cards = () => findAll(".card[data-item]", list);

// Puts a card in: over itself if it is there, else first if it belongs there.
export function place(card, { first = false } = {}) {
  const there = document.getElementById(card.id);
  guard(card);
  if (there) {
    const ticked = find(".pick input", there)?.checked;
    const had = there.contains(document.activeElement);
    if (there.classList.contains("current")) card.classList.add("current");
    there.replaceWith(card);
    if (ticked) find(".pick input", card).checked = true;
    if (had) find("h2 a", card).focus();
  } else if (first) {
    card.classList.add("new");
    find("#empty")?.remove();
    list.prepend(card);
  }
  return card;
}

// While a link is being saved its card is about to come; what others add meanwhile waits for it.
let adding = 0;
const held = new Set();

export async function refresh(item, { first = false } = {}) {
  const there = document.getElementById(`card-${item}`);
  if (!there && !first) return;
  if (!there && adding) return held.add(item);
  try {
    const html = await (await ask(`/cards/${item}?back=${address()}`)).text();
    const card = pieces(html).querySelector(".card");
    place(card, { first: first && card.dataset.library === list.dataset.library });
  } catch (error) {
    if (error.status === 404) there?.remove();
  }
}

// A picture that cannot be had leaves the placeholder beneath it.
function guard(within) {
  for (const image of findAll(".picture img", within)) {
    const lose = () => image.classList.add("lost");
    image.addEventListener("error", lose, { once: true });
    if (image.complete && !image.naturalWidth && image.currentSrc) lose();
  }
}

function expected(url) {
  const card = document.createElement("article");
  card.className = "card arriving";
  card.innerHTML = '<div class="picture"></div><div class="words"><h2></h2><p class="facts"><span>Fetching…</span></p></div>';
  find("h2", card).textContent = url.replace(/^https?:\/\//, "").slice(0, 100);
  return card;
}

async function add(form) {
  const box = find("#add-url");
  const error = find("#add-error");
  const url = box.value.trim();
  const ghost = expected(url);
  error.hidden = true;
  find("#empty")?.remove();
  list.prepend(ghost);
  adding += 1;
  const said = send(form);
  box.value = "";
  try {
    const answer = await said;
    const card = pieces(await answer.text()).querySelector(".card");
    if (answer.status === 200) announce("You had this already.");
    else announce(`Kept: ${find("h2", card).textContent}`);
    const there = document.getElementById(card.id);
    if (there) place(card);
    else ghost.before(place(card, { first: true }));
  } catch (problem) {
    error.textContent = problem.message;
    error.hidden = false;
    box.value = url;
    box.focus();
  } finally {
    ghost.remove();
    adding -= 1;
    for (const item of held) if (!adding && held.delete(item)) refresh(item, { first: true });
  }
}

export async function act(form, button) {
  const sent = new FormData(form).getAll("item");
  try {
    const changed = pieces(await (await send(form, button)).text());
    const still = findAll(".card", changed);
    const notice = find(".notice", changed);
    for (const card of still) place(card);
    for (const item of sent) {
      if (!still.some((card) => card.dataset.item === item)) leave(document.getElementById(`card-${item}`));
    }
    if (notice && (still.length < sent.length || sent.length > 1)) announce(notice);
  } catch (problem) {
    announce(problem.message);
  }
}

function leave(card) {
  if (!card) return;
  const next = card.nextElementSibling?.dataset.item ? card.nextElementSibling : card.previousElementSibling;
  if (card.classList.contains("current") || card.contains(document.activeElement)) choose(next);
  card.remove();
}

export const current = () => find(".card.current", list);

export function choose(card) {
  current()?.classList.remove("current");
  if (!card?.dataset.item) return;
  card.classList.add("current");
  find("h2 a", card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}

export function openTags(item, tags) {
  const box = find("#tag-box");
  const form = find("form", box);
  form.action = `/items/${item}`;
  form.tags.value = tags;
  box.showModal();
}

// The next page is fetched when its link comes near; without scripts the link is followed.
let watch = () => {};

function lengthen() {
  const seen = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    const more = entry.target;
    seen.unobserve(more);
    try {
      const next = pieces(await (await ask(find("a", more).href)).text());
      guard(next);
      for (const card of findAll(".card", next)) if (document.getElementById(card.id)) card.remove();
      more.replaceWith(next);
      watch();
    } catch {
      seen.observe(more);
    }
  }, { rootMargin: "1200px" });
  watch = () => findAll(".more", list).forEach((more) => seen.observe(more));
  watch();
}

// What is typed is searched for while it is typed; without scripts the form is sent.
function search(box) {
  let pause = 0;
  let shown = box.value.trim();
  const look = async () => {
    const said = box.value.trim();
    if (said === shown) return;
    shown = said;
    const where = `/?${new URLSearchParams(new FormData(box.form))}`;
    try {
      const found = pieces(await (await ask(where)).text());
      if (said !== shown) return;
      guard(found);
      list.replaceChildren(found);
      list.dataset.back = where;
      delete list.dataset.newFirst;
      history.replaceState(null, "", where);
      tell(said);
      watch();
    } catch {
      shown = null;
    }
  };
  box.addEventListener("input", (event) => {
    clearTimeout(pause);
    if (!event.isComposing) pause = setTimeout(look, 200);
  });
}

function tell(said) {
  find("#empty")?.remove();
  if (cards().length) return;
  const empty = document.createElement("div");
  empty.id = empty.className = "empty";
  empty.append(Object.assign(document.createElement("p"), { textContent: said ? `Nothing here says “${said.slice(0, 80)}”.` : "Nothing here." }));
  list.after(empty);
}

export function start() {
  guard(list);
  lengthen();
  search(find("#find"));
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches(".add-box")) {
      event.preventDefault();
      add(form);
    } else if (form.matches(".card .deeds")) {
      event.preventDefault();
      act(form, event.submitter);
    } else if (form.closest("#tag-box")) {
      event.preventDefault();
      const item = form.action.split("/").pop();
      form.closest("dialog").close();
      send(form).then((answer) => answer.text()).then((html) => {
        const card = find(".card", pieces(html));
        if (card) place(card);
        else leave(document.getElementById(`card-${item}`));
      }).catch((problem) => announce(problem.message));
    }
  });
  list.addEventListener("change", () => {
    const number = findAll(".pick input:checked", list).length;
    find(".bulk .picked").textContent = `${number} selected`;
  });
}
