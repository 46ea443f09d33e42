// The badge on the button: saved, waiting, failed. The same in words is the button's title.
import {browser} from "./browser.js";
import {say} from "./i18n.js";
import {badgeOf, count} from "./queue.js";

const SAVED = "#27614f";

export async function showQueue(queue) {
  const counts = count(queue);
  const {text, colour} = badgeOf(counts);
  await browser.action.setBadgeText({text});
  await browser.action.setBadgeBackgroundColor({color: colour});
  await browser.action.setBadgeTextColor?.({color: "#ffffff"});
  await browser.action.setTitle({title: titleOf(counts)});
}

function titleOf({failed, waiting}) {
  if (failed) return say("title_failed", failed);
  return waiting ? say("title_waiting", waiting) : say("action_title");
}

/** Until the tab goes to another page. The tab may be gone by now. */
export async function showOnTab(tabId, outcome) {
  if (tabId === undefined || outcome.state !== "saved") return;
  try {
    await browser.action.setBadgeText({tabId, text: "✓"});
    await browser.action.setBadgeBackgroundColor({tabId, color: SAVED});
    await browser.action.setTitle({tabId, title: say("title_saved")});
  } catch {
    // No tab, no badge.
  }
}

export async function clearTab(tabId) {
  await browser.action.setBadgeText({tabId, text: null});
  await browser.action.setTitle({tabId, title: null});
}
