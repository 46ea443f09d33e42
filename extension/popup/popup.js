// The popup: whether this page is saved, saving it with tags, library and note, and what waits to be sent.
import {ask} from "../lib/ask.js";
import {browser} from "../lib/browser.js";
import {call, fetchImage} from "../lib/client.js";
import {splitTags} from "../lib/completion.js";
import {fillTexts, say} from "../lib/i18n.js";
import {canBeSaved, hostOf} from "../lib/server.js";
import {activate, findActiveServer, listServers, readSettings} from "../lib/storage.js";
import {askForMhtml, storeMhtml} from "./mhtml.js";
import {showQueue} from "./queue_view.js";
import {offerTags} from "./tags.js";

const by = (id) => document.getElementById(id);

let server = null;
let tab = null;
let item = null;

async function begin() {
  fillTexts(document);
  [server, tab] = [await findActiveServer(), await findTab()];
  await showQueue();
  if (!server) return showUnconnected();
  await showServers();
  if (!canBeSaved(tab?.url)) return tell("not_a_page");
  by("title").textContent = tab.title || tab.url;
  by("excerpt").textContent = hostOf(tab.url);
  by("main").hidden = false;
  by("save").focus();
  ask("send_due");
  await Promise.all([lookUp(), offerLibraries(), offerTags(server)]);
  if (!item && (await readSettings()).saveOnOpen) await save("save");
}

/** The tab the popup belongs to; opened as a page of its own, it says which. */
async function findTab() {
  const asked = new URLSearchParams(location.search).get("tab");
  if (asked) return browser.tabs.get(Number(asked));
  const [active] = await browser.tabs.query({active: true, currentWindow: true});
  return active;
}

function showUnconnected() {
  by("unconnected").hidden = false;
  by("connect").focus();
}

async function showServers() {
  const servers = await listServers();
  by("server").hidden = servers.length < 2;
  by("server").replaceChildren(...servers.map((known) => new Option(hostOf(known.origin), known.origin)));
  by("server").value = server.origin;
}

async function lookUp() {
  try {
    await show(await call(server, "GET", `/api/v1/lookup?url=${encodeURIComponent(tab.url)}`));
    tell("already_saved");
  } catch (error) {
    if (error.status === 0) tell("unreachable");
    else if (error.status === 401) tell("disconnected");
    else if (error.status !== 404) tellText(error.message);
  }
}

async function offerLibraries() {
  const found = await call(server, "GET", "/api/v1/libraries").catch(() => []);
  const own = found.filter((library) => library.role === "admin");
  by("library").replaceChildren(...own.map(({id, name, is_default}) => new Option(name, is_default ? "" : id)));
  by("library-label").hidden = own.length < 2 || Boolean(item);
}

function fields() {
  const told = {tags: splitTags(by("tags").value)};
  if (by("note").value.trim()) told.note = by("note").value.trim();
  if (by("library").value && !by("library-label").hidden) told.library_id = by("library").value;
  return told;
}

async function save(how) {
  const told = {tab: {id: tab.id, url: tab.url, title: tab.title}, fields: fields()};
  tell(how === "save" ? "saving" : "capturing");
  setBusy(true);
  try {
    if (how === "save_as_seen") told.captured = await storeMhtml(tab.id);
    await showOutcome(await ask(how, told));
  } catch (error) {
    tellText(error.message);
  } finally {
    setBusy(false);
    await showQueue();
  }
}

async function showOutcome(outcome) {
  if (outcome.state === "saved" && outcome.item) {
    await show(outcome.item);
    by("open").focus();
    return tell("saved");
  }
  if (outcome.state === "waiting") return tell(outcome.problem === "unreachable" ? "kept_for_later" : "waiting");
  if (outcome.message && outcome.problem === "refused") return tellText(outcome.message);
  return tell(outcome.problem ?? outcome.state);
}

/** The finished card, with what may be done with it. */
async function show(found) {
  item = found;
  by("title").textContent = found.title || found.url;
  by("excerpt").textContent = found.excerpt || found.site_name || "";
  by("tags").value = found.tags.join(", ");
  by("note").value = found.note ?? "";
  by("library-label").hidden = true;
  by("new-buttons").hidden = true;
  by("saved-buttons").hidden = false;
  await showImage(found.preview_src);
}

async function showImage(path) {
  by("image").hidden = true;
  if (!path) return;
  try {
    by("image").src = URL.createObjectURL(await fetchImage(server, path));
    by("image").hidden = false;
  } catch {
    // A card without its image is a card all the same.
  }
}

async function change() {
  setBusy(true);
  try {
    const {tags} = fields();
    await show(await call(server, "PATCH", `/api/v1/items/${item.id}`, {json: {tags, note: by("note").value}}));
    tell("changed");
  } catch (error) {
    tellText(error.status === 0 ? say("unreachable") : error.message);
  } finally {
    setBusy(false);
  }
}

async function remove() {
  try {
    await call(server, "DELETE", `/api/v1/items/${item.id}`);
  } catch (error) {
    return tellText(error.status === 0 ? say("unreachable") : error.message);
  }
  item = null;
  by("new-buttons").hidden = false;
  by("saved-buttons").hidden = true;
  by("save").focus();
  tell("removed");
  await ask("forget_tab", {tabId: tab.id});
}

async function saveAsSeen() {
  await askForMhtml({tab: {id: tab.id, url: tab.url, title: tab.title}, fields: fields()});
  await save("save_as_seen");
}

function setBusy(isBusy) {
  for (const button of document.querySelectorAll("#form button")) button.disabled = isBusy;
}

function tell(name) {
  tellText(say(`state_${name}`));
}

function tellText(text) {
  by("status").textContent = text;
}

by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (item) change();
  else save("save");
});
by("as-seen").addEventListener("click", saveAsSeen);
by("as-seen-again").addEventListener("click", saveAsSeen);
by("remove").addEventListener("click", remove);
by("open").addEventListener("click", () => browser.tabs.create({url: `${server.origin}/read/${item.id}`}));
by("connect").addEventListener("click", () => browser.runtime.openOptionsPage());
by("server").addEventListener("change", async () => {
  await activate(by("server").value);
  location.reload();
});

await begin();
document.documentElement.dataset.ready = "";
