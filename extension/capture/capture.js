// A page as the person sees it, as one compressed file: the browser's own MHTML where it may make one, else the document
// as HTML.
import {browser} from "../lib/browser.js";

export const MOST_BYTES = 30_000_000;

/** Why a page could not be captured; its message names a text. */
export class CaptureError extends Error {}

/** {file, fileName}, or null where it is not allowed or does not work; `captureHtml` is as good.
 *
 * For the extension's pages alone: Chromium hands the file to whoever asks, but a service worker cannot read it. */
export async function captureMhtml(tabId) {
  const {pageCapture} = browser; // Firefox has none
  if (!pageCapture || !(await browser.permissions.contains({permissions: ["pageCapture"]}))) return null;
  try {
    const blob = await pageCapture.saveAsMHTML({tabId});
    return blob && blob.size <= MOST_BYTES ? {file: await compress(blob), fileName: "page.mhtml.gz"} : null;
  } catch (error) {
    console.warn("MHTML", error);
    return null;
  }
}

export async function captureHtml(tabId) {
  const {html, problem} = await runInPage(tabId, "capture/serialise.js");
  if (problem) throw new CaptureError(problem);
  const blob = new Blob([html], {type: "text/html"});
  if (blob.size > MOST_BYTES) throw new CaptureError("too_large");
  return {file: await compress(blob), fileName: "page.html.gz"};
}

async function runInPage(tabId, file) {
  try {
    const [{result}] = await browser.scripting.executeScript({target: {tabId}, files: [file]});
    return result ?? {problem: "not_a_page"};
  } catch (error) {
    console.warn(file, error);
    throw new CaptureError("not_a_page"); // the browser's own pages, its store, its PDF viewer
  }
}

/** The selected words with their surroundings, or null. */
export async function readSelection(tabId) {
  try {
    const [{result}] = await browser.scripting.executeScript({target: {tabId}, files: ["capture/selection.js"]});
    return result;
  } catch {
    return null;
  }
}

async function compress(blob) {
  const stream = blob.stream().pipeThrough(new CompressionStream("gzip"));
  return new Blob([await new Response(stream).arrayBuffer()], {type: "application/gzip"});
}
