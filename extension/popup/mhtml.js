// Chromium can write a page with its images into one file. It is asked for that permission once, with the first
// "Save as I see it"; without it the document itself is sent.
import {captureMhtml} from "../capture/capture.js";
import {browser, isFirefox} from "../lib/browser.js";
import {putFile} from "../lib/files.js";
import {changeSettings, readSettings} from "../lib/storage.js";

const PERMISSION = {permissions: ["pageCapture"]};
const ANSWER_WITHIN_MS = 60_000;
let settings = await readSettings(); // now, so that nothing is waited for on the click

/** To be called on a click. The browser's question may close the popup: then the background script does `wanted`. */
export async function askForMhtml(wanted) {
  if (isFirefox || settings.hasAskedForMhtml) return;
  const asked = browser.permissions.request(PERMISSION); // first, while the click counts
  await browser.storage.session.set({askedAsSeen: {...wanted, until: Date.now() + ANSWER_WITHIN_MS}});
  settings = {hasAskedForMhtml: true};
  await changeSettings(settings);
  await asked.catch(() => false);
  await browser.storage.session.remove("askedAsSeen");
}

/** {id, fileName} of the page as MHTML, in the store; null without the permission. */
export async function storeMhtml(tabId) {
  const captured = await captureMhtml(tabId);
  if (!captured) return null;
  const id = crypto.randomUUID();
  await putFile(id, captured.file);
  return {id, fileName: captured.fileName};
}
