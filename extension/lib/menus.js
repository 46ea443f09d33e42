// The context menu.
import {browser} from "./browser.js";
import {say} from "./i18n.js";
import {saveAsSeen, saveLink, saveSelection} from "./saving.js";

const WEB = ["http://*/*", "https://*/*"];
const ITEMS = [
  {id: "page", contexts: ["page"], documentUrlPatterns: WEB},
  {id: "as_seen", contexts: ["page"], documentUrlPatterns: WEB},
  {id: "link", contexts: ["link"], targetUrlPatterns: WEB},
  {id: "selection", contexts: ["selection"], documentUrlPatterns: WEB},
];

export async function createMenus() {
  await browser.contextMenus.removeAll();
  for (const item of ITEMS) browser.contextMenus.create({...item, title: say(`menu_${item.id}`)});
}

export async function onMenu(info, tab) {
  if (info.menuItemId === "link") return saveLink(tab, info.linkUrl);
  if (info.menuItemId === "selection") return saveSelection(tab, info.pageUrl, info.selectionText);
  if (info.menuItemId === "as_seen") return saveAsSeen(tab);
  return saveLink(tab, info.pageUrl);
}
