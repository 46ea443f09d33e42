// Chromium can write a page with its images into one file. It is asked for that permission once, with the first
// "Save as I see it"; without it the document itself is sent.
import {browser, isFirefox} from "../lib/browser.js";
import {changeSettings, readSettings} from "../lib/storage.js";

const PERMISSION = {permissions: ["pageCapture"]};

/** To be called on a click. The browser's question may close the popup: then the background script does `wanted`. */
export async function askForMhtml(wanted) {
  if (isFirefox || settings.hasAskedForMhtml) return;
  const asked = browser.permissions.request(PERMISSION); // first, while the click counts
  browser.storage.session.set({askedAsSeen: wanted});
  settings = {hasAskedForMhtml: true};
  await changeSettings(settings);
  await asked.catch(() => false);
}

let settings = await readSettings();
