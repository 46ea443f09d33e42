// Texts from _locales. Pages name them in data-text (its text), data-label (its aria-label) and data-hint (its placeholder).
import {browser} from "./browser.js";

export function say(name, ...values) {
  return browser.i18n.getMessage(name, values.map(String)) || name;
}

export function fillTexts(root) {
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", say(element.dataset.label));
  for (const element of root.querySelectorAll("[data-hint]")) element.placeholder = say(element.dataset.hint);
  document.documentElement.lang = browser.i18n.getUILanguage().startsWith("en") ? browser.i18n.getUILanguage() : "en";
}
