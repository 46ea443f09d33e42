// Shared by the other modules: DOM queries, requests to the server, notices.

import { localizeTimes } from "./times.js";

export const find = (selector, within = document) => within.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

// Request a fragment of a page. The error thrown has the server's message.
export async function request(url, options = {}) {
  const response = await fetch(url, {
    ...options,
    headers: { "Kept-Fragment": "1", Accept: "text/html, application/json", ...options.headers },
  }).catch(() => {
    throw new Error("Kept can't be reached. Try again.");
  });
  if (response.status === 401) location.reload();
  if (!response.ok) {
    const body = await response.json().catch(() => null);
    const error = new Error(body?.error?.message ?? "Something went wrong. Try again.");
    error.status = response.status;
    throw error;
  }
  return response;
}

export const requestFragment = async (url) => parseFragment(await (await request(url)).text());

export const submit = (form, button) => {
  const values = new URLSearchParams(new FormData(form));
  if (button?.name) values.append(button.name, button.value);
  const action = button?.getAttribute("formaction") || form.getAttribute("action") || location.href;
  return request(action, { method: "POST", body: values });
};

export function parseFragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  localizeTimes(template.content);
  return template.content;
}

// A message at the bottom of the page for some seconds; screen readers announce it.
let hiding;
export function showToast(message) {
  const toast = find("#toast");
  if (typeof message === "string") {
    const notice = document.createElement("div");
    notice.className = "notice";
    const text = document.createElement("p");
    text.textContent = message;
    notice.append(text);
    message = notice;
  }
  message.removeAttribute("role");
  toast.replaceChildren(message);
  clearTimeout(hiding);
  hiding = setTimeout(() => toast.replaceChildren(), 12000);
}
