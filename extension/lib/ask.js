// How the extension's pages speak to its background script.
import {browser} from "./browser.js";

export async function ask(type, values = {}) {
  const {result, error, status} = await browser.runtime.sendMessage({type, ...values});
  if (error !== undefined) throw Object.assign(new Error(error), {status});
  return result;
}
