// The keyboard. No key does anything while somebody types, or with a modifier held.

import { find, findAll } from "./page.js";

const PLACES = { a: "/", u: "/?view=unread", f: "/?view=favourite", r: "/?view=archived", x: "/?view=failed", l: "/libraries", q: "/queue", s: "/account", h: "/help" };
let going = 0;

const types = (element) => element.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], dialog[open]");

function focusOn(selector) {
  const field = find(selector);
  if (field) field.focus();
  return field;
}

export function start(moves) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (types(event.target)) {
      if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur();
      return;
    }
    if (event.key === "Escape") return findAll("details.menu[open]").forEach((menu) => menu.removeAttribute("open"));
    if (going && Date.now() - going < 1500 && PLACES[event.key]) {
      event.preventDefault();
      location.assign(PLACES[event.key]);
      return;
    }
    going = event.key === "g" ? Date.now() : 0;
    const move = { ...common, ...moves }[event.key];
    if (move && move() !== false) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    for (const menu of findAll("details.menu[open]")) if (!menu.contains(event.target)) menu.removeAttribute("open");
  });
}

const common = {
  "?": () => find("#keys").showModal(),
  "/": () => (focusOn("#find") ? true : location.assign("/")),
  n: () => (focusOn("#add-url") ? true : location.assign("/add")),
};
