// Saves by whatever way it was asked for: the popup, a menu, a key. All end in the queue.
import {CaptureError, captureHtml, readSelection} from "../capture/capture.js";
import {showOnTab} from "./badge.js";
import {browser} from "./browser.js";
import {putFile} from "./files.js";
import {submit} from "./outbox.js";
import {canBeSaved} from "./server.js";
import {findActiveServer} from "./storage.js";

/** `fields`: tags, note, library_id. The outcome is that of `submit`, or {state: "not_connected" | "not_a_page"}. */
export async function saveLink(tab, url, fields = {}) {
  return saveWith(tab, url, async (server) => submit({...describe(server, tab, url, fields), kind: "link"}));
}

/** `captured`: {id, fileName} of a file that is in the store already. */
export async function saveAsSeen(tab, fields = {}, captured = null) {
  return saveWith(tab, tab.url, async (server) => {
    const {id, fileName} = captured ?? (await storeHtml(tab.id));
    return submit({...describe(server, tab, tab.url, fields), kind: "page", fileName}, id);
  });
}

async function storeHtml(tabId) {
  const [id, {file, fileName}] = [crypto.randomUUID(), await captureHtml(tabId)];
  await putFile(id, file);
  return {id, fileName};
}

export async function saveSelection(tab, url, selectedText) {
  return saveWith(tab, url, async (server) => {
    const quote = (await readSelection(tab.id)) ?? {exact: selectedText};
    return submit({...describe(server, tab, url, {}), kind: "highlight", quote});
  });
}

function describe(server, tab, url, fields) {
  return {origin: server.origin, url, title: tab?.url === url ? (tab.title ?? "") : "", fields};
}

async function saveWith(tab, url, save) {
  const server = await findActiveServer();
  if (!server) {
    await browser.runtime.openOptionsPage();
    return {state: "not_connected"};
  }
  if (!canBeSaved(url)) return {state: "failed", problem: "not_a_page"};
  try {
    const outcome = await save(server);
    await showOnTab(tab?.url === url ? tab.id : undefined, outcome);
    return outcome;
  } catch (error) {
    if (error instanceof CaptureError) return {state: "failed", problem: error.message};
    throw error;
  }
}
