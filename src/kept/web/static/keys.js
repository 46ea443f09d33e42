// Keyboard shortcuts. They are off while a text field has the focus or a modifier key is held.

import { find, findAll } from "./page.js";

const GO_TO = { a: "/", u: "/?view=unread", f: "/?view=favourite", r: "/?view=archived", m: "/highlights", x: "/?view=failed", l: "/libraries", q: "/queue", s: "/account", h: "/help" };
let pressedG = 0;

const isTyping = (element) => element.closest("input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable],dialog[open]");

function focusOn(selector) {
  const field = find(selector);
  if (field) field.focus();
  return field;
}

export function start(shortcuts) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur();
      return;
    }
    if (event.key === "Escape") {
      const open = findAll("details.menu[open]");
      open.forEach((menu) => menu.removeAttribute("open"));
      return open.length ? undefined : shortcuts.Escape?.();
    }
    if (pressedG && Date.now() - pressedG < 1500 && GO_TO[event.key]) {
      event.preventDefault();
      location.assign(GO_TO[event.key]);
      return;
    }
    pressedG = event.key === "g" ? Date.now() : 0;
    // A shortcut of the page that returns null leaves the key to the one of every page.
    let done = shortcuts[event.key] ? shortcuts[event.key]() : null;
    if (done === null) done = common[event.key] ? common[event.key]() : false;
    if (done !== false) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    for (const menu of findAll("details.menu[open]")) if (!menu.contains(event.target)) menu.removeAttribute("open");
  });
}

const common = {
  "?": () => find("#keys").showModal(),
  "/": () => (focusOn("#search") ? true : location.assign("/")),
  z: () => find("form.undo button")?.click(),
  n: () => (focusOn("#add-url") ? true : location.assign("/add")),
};
