// The service worker (in Firefox an event page): every listener, registered at once, because an event wakes it.
import {browser} from "./lib/browser.js";
import {clearTab} from "./lib/badge.js";
import {createMenus, onMenu} from "./lib/menus.js";
import {ALARM, discard, resume, retry, sendDue} from "./lib/outbox.js";
import {beginPairing, finishPairing} from "./lib/pairing.js";
import {saveAsSeen, saveLink} from "./lib/saving.js";
import {keepFromPages} from "./lib/storage.js";

async function begin() {
  await keepFromPages();
  await createMenus();
  await resume();
}

browser.runtime.onInstalled.addListener(begin);
browser.runtime.onStartup.addListener(begin);

browser.alarms.onAlarm.addListener(async ({name}) => {
  if (name === ALARM) await sendDue();
});

globalThis.addEventListener("online", () => retry((entry) => entry.problem === "unreachable"));

browser.contextMenus.onClicked.addListener(onMenu);

browser.commands.onCommand.addListener(async (command, tab) => {
  if (command === "save-page") await saveLink(tab, tab.url);
  if (command === "save-as-seen") await saveAsSeen(tab);
});

browser.tabs.onUpdated.addListener(async (tabId, changed) => {
  if (!changed.url || !(await finishPairing(tabId, changed.url))) return;
  await retry((entry) => entry.problem === "disconnected");
});

// An "as seen" that waits for the person to allow MHTML: where the browser's question closes the popup, this goes on.
browser.permissions.onAdded.addListener(async () => {
  const {askedAsSeen} = await browser.storage.session.get("askedAsSeen");
  const popups = (await browser.runtime.getContexts?.({contextTypes: ["POPUP"]})) ?? [];
  if (!askedAsSeen || popups.length || Date.now() > askedAsSeen.until) return;
  await browser.storage.session.remove("askedAsSeen");
  await saveAsSeen(askedAsSeen.tab, askedAsSeen.fields);
});

// What the extension's own pages ask for.
const REQUESTS = {
  save: ({tab, fields}) => saveLink(tab, tab.url, fields),
  save_as_seen: ({tab, fields, captured}) => saveAsSeen(tab, fields, captured),
  connect: ({origin, deviceName}) => beginPairing(origin, deviceName),
  send_due: () => sendDue(),
  retry: ({id}) => retry((entry) => entry.id === id),
  discard: ({id}) => discard(id),
  forget_tab: ({tabId}) => clearTab(tabId),
};

browser.runtime.onMessage.addListener((message, sender, answer) => {
  if (sender.id !== browser.runtime.id || !Object.hasOwn(REQUESTS, message?.type)) return false;
  REQUESTS[message.type](message).then(
    (result) => answer({result: result instanceof Map ? null : (result ?? null)}),
    (error) => answer({error: error.message, status: error.status ?? null}),
  );
  return true; // the answer comes later
});
