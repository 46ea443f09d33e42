// Keyboard shortcuts. They are off while a text field has the focus or a modifier key is held.

import { find, findAll } from "./page.js";

const GO_TO = { a: "/", u: "/?view=unread", f: "/?view=favourite", r: "/?view=archived", m: "/highlights", x: "/?view=failed", l: "/libraries", t: "/statistics", q: "/queue", s: "/account", h: "/help" };
let pressedG = 0;

const focusOn = (selector, elsewhere) => (find(selector) ? find(selector).focus() : location.assign(elsewhere));

const COMMON = {
  "?": () => find("#keys").showModal(),
  "/": () => focusOn("#search", "/"),
  z: () => find("form.undo button")?.click(),
  n: () => focusOn("#add-url", "/add"),
};

// All but the one that `inside` is in. Whether one was open.
function closeMenus(inside = null) {
  const open = findAll("details.menu[open]");
  for (const menu of open) if (!menu.contains(inside)) menu.open = false;
  return open.length > 0;
}

const isTyping = (element) => element.closest("input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable],dialog[open]");

export function start(shortcuts) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur();
      return;
    }
    if (event.key === "Escape") {
      return closeMenus() ? undefined : shortcuts.Escape?.();
    }
    if (Date.now() - pressedG < 1500 && GO_TO[event.key]) {
      event.preventDefault();
      location.assign(GO_TO[event.key]);
      return;
    }
    pressedG = event.key === "g" ? Date.now() : 0;
    // A shortcut of the page that returns null leaves the key to the one of every page.
    let done = shortcuts[event.key] ? shortcuts[event.key]() : null;
    if (done === null) done = COMMON[event.key] ? COMMON[event.key]() : false;
    if (done !== false) event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => closeMenus(target));
}
