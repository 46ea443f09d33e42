// Reading offline: starts the service worker, shows what waits to be sent, and the settings of the copies in this browser.

import { find, findAll, make, submit, t } from "./page.js";

const RETRY_MS = 5000;
const { userId } = document.body.dataset;
let state = { changes: [], articles: [] };

const ask = async (command, value) => (await navigator.serviceWorker.ready).active.postMessage({ command, value });

const count = (number) => (number === 1 ? t("1 change") : t("{number} changes", { number }));

// --- the state of this page ---

function describe() {
  const failed = state.changes.filter((change) => change.error).length;
  const number = state.changes.length - failed;
  const texts = [];
  if (!navigator.onLine || state.isOffline) texts.push(t("Offline."));
  const changes = count(number);
  if (number) texts.push(state.isSignedOut ? t("Sign in to send {changes}.", { changes }) : t("{changes} waiting to be sent.", { changes }));
  if (failed) texts.push(t("{changes} could not be sent.", { changes: count(failed) }));
  return texts.join(" ");
}

function showBar() {
  const bar = find("#offline-bar");
  const text = describe();
  if (bar.dataset.text === text) return;
  bar.dataset.text = text;
  bar.replaceChildren(text);
  if (!text) return;
  if (state.isSignedOut && state.changes.length) bar.append(" ", make("a", { href: `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}` }, t("Sign in")));
  if (location.pathname !== "/offline") bar.append(" ", make("a", { href: "/offline" }, t("Details")));
}

// Buttons show what was chosen offline, before the server knows.
function showChosen({ url, body }) {
  const form = new URLSearchParams(url === "/items" ? body : "");
  const action = form.get("action");
  for (const item of form.getAll("item")) {
    for (const button of findAll(`[value="${action}"][aria-pressed]`)) {
      if (button.form?.elements.namedItem("item")?.value !== item) continue;
      button.value = action.startsWith("un") ? action.slice(2) : `un${action}`;
      button.ariaPressed = !action.startsWith("un");
    }
  }
}

// --- the page about reading offline, and its section in the account ---

function nameChange({ url, body }) {
  if (url === "/api/v1/items") return t("Save {url}", { url: JSON.parse(body).url });
  if (url.endsWith("/highlights")) return t("Highlight “{quote}”", { quote: JSON.parse(body).exact.slice(0, 100) });
  if (url.startsWith("/api/")) return t("Reading progress");
  const form = new URLSearchParams(body);
  return `${find(".changes").dataset[form.get("action")] ?? t("Edit")} ${form.get("tag") ?? form.get("tags") ?? ""}`.trim();
}

const makeButton = (text, command, { id }, className = "") => make("button", { type: "button", className, onclick: () => ask(command, id) }, text);

function listChange(change) {
  const text = make("span", {}, nameChange(change));
  const buttons = make("span", { className: "row" }, makeButton(t("Discard"), "discard", change, "quiet"));
  if (change.error) {
    text.append(make("br"), make("span", { className: "small" }, t("Could not be sent: {reason}", { reason: t(change.error, change) })));
    buttons.prepend(makeButton(t("Try again"), "retry", change));
  }
  return make("li", { className: "between" }, text, buttons);
}

function listArticle({ url, title }) {
  return make("li", {}, make("a", { href: url }, new DOMParser().parseFromString(title, "text/html").body.textContent));
}

function showSettings(box) {
  find(".unsupported", box).hidden = true;
  find(".supported", box).hidden = false;
  find("[name=on]", box).checked = !state.isOff;
  const size = (state.bytes / 1e6).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
  find(".size", box).textContent = t("{number} articles, {size} MB.", { number: state.articles.length, size });
  if (state.isFull) find(".size", box).append(" ", t("The browser has no more room: older copies were removed."));
  find(".changes", box).replaceChildren(...state.changes.map(listChange));
  find(".no-changes", box).hidden = state.changes.length > 0;
  find(".articles", box)?.replaceChildren(...state.articles.map(listArticle));
}

function startSettings(box) {
  find("[name=on]", box).addEventListener("change", ({ target }) => ask("turn", target.checked));
  find(".remove", box).addEventListener("click", () => ask("remove"));
  const missing = find("#not-here");
  if (!missing || location.pathname === "/offline") return;
  missing.hidden = false;
  addEventListener("online", () => location.reload());
}

// --- forms that have no script of their own: the one that adds a link, the one that edits an item ---

async function submitSafely(form) {
  const isReachable = await fetch("/offline", { method: "HEAD", cache: "no-store" }).then(() => true, () => false);
  if (isReachable) return form.submit();
  await submit(form).catch((problem) => {
    if (!problem.isQueued) throw problem;
  });
  if (form.elements.window) return close();
  return form.matches(".item-form") ? history.back() : location.assign("/");
}

// Shared to a copy of the form, which the server could not fill in.
function fillAddForm(form) {
  const shared = new URLSearchParams(location.search);
  const { url, title } = form.elements;
  url.value ||= shared.get("url") || (shared.get("text") ?? "").match(/https?:\/\/\S+/)?.[0] || "";
  title.value ||= shared.get("title") ?? "";
}

function startForms() {
  if (find(".add-form")) fillAddForm(find(".add-form"));
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (form.matches("[action='/sign-out']") && state.changes.length) {
      if (!confirm(t("{changes} not sent yet will be lost. Sign out?", { changes: count(state.changes.length) }))) event.preventDefault();
      else for (const change of state.changes) ask("discard", change.id);
    }
    if (!form.matches(".add-form, .item-form") || !navigator.serviceWorker.controller) return;
    event.preventDefault();
    submitSafely(form);
  });
}

function show(fresh) {
  if (userId && fresh.user !== userId) return;
  const sent = state.changes.some(({ id }) => !fresh.changes.some((change) => change.id === id));
  state = fresh;
  showBar();
  state.changes.forEach(showChosen);
  findAll(".offline-settings").forEach(showSettings);
  if (sent) document.dispatchEvent(new Event("changes-sent"));
  document.dispatchEvent(new CustomEvent("changes-waiting", { detail: state.changes }));
}

export async function start() {
  document.body.append(make("div", { id: "offline-bar", className: "offline-bar", role: "status" }));
  findAll(".offline-settings").forEach(startSettings);
  startForms();
  navigator.serviceWorker.addEventListener("message", ({ data }) => show(data));
  addEventListener("offline", showBar);
  const send = () => ask("send");
  addEventListener("online", send);
  document.addEventListener("signed-in", send);
  // Browsers say "online" before there is a way to the server, and nothing when the server comes back.
  setInterval(() => navigator.onLine && !state.isSignedOut && state.changes.some((change) => !change.error) && send(), RETRY_MS);
  const isFirst = !navigator.serviceWorker.controller;
  await navigator.serviceWorker.register("/sw.js").catch(() => {}); // offline, or the browser does not allow it
  ask(isFirst ? "visit" : "send", location.href);
}
