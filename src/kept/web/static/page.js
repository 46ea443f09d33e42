// Shared by the other modules: DOM queries, requests to the server, notices.

import { localizeTimes } from "./times.js";

export const find = (selector, within = document) => within.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

export function make(name, values, ...children) {
  const made = Object.assign(document.createElement(name), values);
  made.append(...children);
  return made;
}

// What the server sends of other languages. English is in the scripts themselves.
const texts = JSON.parse(find("#texts")?.textContent ?? "{}");

// A text in the language of the page; `{name}` stands for a value.
export const t = (text, values) => (texts[text] ?? text).replace(/\{(\w+)\}/g, (hole, name) => values?.[name] ?? hole);

// Request a fragment of a page. The error thrown has the server's message. When the session has ended, the user signs in
// and the request is sent again; a `quiet` one, which nobody waits for, fails instead. A change that the service worker
// queued, because there is no connection, is an error with `isQueued`.
export async function request(url, { quiet = false, ...options } = {}) {
  const response = await fetch(url, {
    ...options,
    headers: { "Kept-Fragment": "1", "Kept-User": document.body.dataset.userId ?? "", Accept: "text/html, application/json", ...options.headers },
  }).catch(() => {
    throw new Error(t("Kept can't be reached. Try again."));
  });
  if (response.headers.has("Kept-Queued")) {
    throw Object.assign(new Error(t("Kept can't be reached. The change is stored in this browser and sent later.")), { isQueued: true });
  }
  if (response.status === 401 && !quiet) {
    const session = await import("./session.js");
    if (await session.signInAgain()) return request(url, { ...options, quiet: true });
  }
  if (!response.ok) {
    const body = await response.json().catch(() => null);
    const message = body?.error?.message;
    throw new Error(message ? t(message) : t("Something went wrong. Try again."));
  }
  return response;
}

export const requestFragment = async (url, options) => parseFragment(await (await request(url, options)).text());

export const submit = (form, button, alter) => {
  const values = new URLSearchParams(new FormData(form));
  alter?.(values);
  if (button?.name) values.append(button.name, button.value);
  const action = button?.getAttribute("formaction") || form.getAttribute("action") || location.href;
  return request(action, { method: "POST", body: values });
};

export const submitForFragment = async (...form) => parseFragment(await (await submit(...form)).text());

export function parseFragment(html) {
  const { content } = make("template", { innerHTML: html });
  localizeTimes(content);
  return content;
}

// Calls `handle` with the form and its button, where a browser would load a page.
export const onSubmit = (selector, handle, within = document) => within.addEventListener("submit", (event) => {
  if (!event.target.matches(selector)) return;
  event.preventDefault();
  handle(event.target, event.submitter);
});

// A message at the bottom of the page; screen readers announce it. With a button in it, it stays until it is closed.
let hiding;
export function showToast(message) {
  const toast = find("#toast");
  const hide = () => toast.replaceChildren();
  if (typeof message === "string") message = make("div", { className: "notice" }, make("p", {}, message));
  message.removeAttribute("role");
  message.append(make("button", { type: "button", className: "plain close", ariaLabel: t("Close message"), onclick: hide }, "×"));
  toast.replaceChildren(message);
  clearTimeout(hiding);
  if (!find("form", message)) hiding = setTimeout(hide, 12000);
}

// Shows what goes wrong.
export const guard = (work) => work.catch((problem) => showToast(problem.message));
