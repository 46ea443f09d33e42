// The forms of the API page: each sends its request and shows the answer. Without scripts the page is a reference.

import { find, findAll, make, onSubmit, t } from "./page.js";

const MAX_SHOWN = 200_000; // characters of an answer

function filled(form, place) {
  return findAll(`[data-place="${place}"]`, form).filter((field) => field.value !== "");
}

function urlOf(form) {
  let path = form.dataset.path;
  for (const { name, value } of filled(form, "path")) path = path.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(filled(form, "query").map(({ name, value }) => [name, value]));
  return query.size ? `${path}?${query}` : path;
}

function requestOf(form) {
  const headers = new Headers(filled(form, "header").map(({ name, value }) => [name, value]));
  const token = find("#token").value.trim();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const [json] = findAll('textarea[data-place="body"]', form);
  const [file] = findAll('[data-place="file"]', form);
  if (json) headers.set("Content-Type", "application/json");
  const body = json?.value ?? file?.files[0];
  return { method: form.dataset.method, headers, body, credentials: token ? "omit" : "same-origin" };
}

function download(blob, answer) {
  const named = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "");
  const name = named ? decodeURIComponent(named[1]) : "answer";
  return make("a", { href: URL.createObjectURL(blob), download: name }, t("Download ({size} bytes)", { size: blob.size }));
}

async function bodyOf(answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  const blob = await answer.blob();
  if (!blob.size) return make("p", {}, t("No body."));
  if (!type.startsWith("application/json") && !type.startsWith("text/")) return download(blob, answer);
  const text = await blob.text();
  const shown = type.startsWith("application/json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return make("pre", { tabIndex: 0 }, shown.slice(0, MAX_SHOWN));
}

async function send(form) {
  const output = find("output", form);
  const began = performance.now();
  try {
    const answer = await fetch(urlOf(form), requestOf(form));
    const ms = Math.round(performance.now() - began);
    const status = make("p", { className: "status" }, `${answer.status} ${answer.statusText}, ${ms} ms`);
    output.replaceChildren(status, await bodyOf(answer));
  } catch (error) {
    output.replaceChildren(make("p", { className: "error" }, t("The request could not be sent: {reason}", { reason: error.message })));
  }
}

for (const button of findAll(".operation form button")) button.hidden = false;
onSubmit(".operation form", send);
onSubmit("#credential", () => {});
document.documentElement.dataset.apiReady = "";
