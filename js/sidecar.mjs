// The Readability sidecar: reads pages from stdin, answers with Mozilla's Readability of each on stdout, one at a
// time, until stdin closes. Spoken to only by kept/subprocesses/sidecar.py; everything it is given is hostile.
//
// A frame, both ways: two big-endian 32-bit lengths, a JSON header of the first length, a UTF-8 body of the second.
//   request   {"timeout_ms": 5000}                          body: the page's HTML
//   answer    {"code": 0, "title": …, "byline": …, …}       body: the article's HTML
//   failure   {"code": 10 | 12, "message": "why", "detail": "for the log"}   body: empty
import { readSync, writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { Readability } from "@mozilla/readability";
import { DOMParser } from "linkedom";
// How linkedom chains the nodes of a tree, in document order.
import { END, NEXT } from "./node_modules/linkedom/esm/shared/symbols.js";

const ELEMENT_NODE = 1;

// Node 20 optimises functions sooner than pays here. With eight times its budget (four and sixteen are no different) the start
// and one page take 161 ms of processor time instead of 175, three pages 254 instead of 319, and later ones no more. Other versions have other flags.
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=540672");

const OK = 0;
const TIMED_OUT = 10;
const NOT_READABLE = 12;

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_FIELD_LENGTH = 5_000; // an excerpt may be a whole first paragraph
const MAX_NODES = 200_000;
const MAX_DEPTH = 2_000; // Readability recurses; past some 4,000 levels it overflows the stack, slowly.

// What Readability allows by itself, and the other players that Kept knows how to turn into links.
const PLAYERS =
  /\/\/(www\.)?((dailymotion|youtube|youtube-nocookie|player\.vimeo|v\.qq|w\.soundcloud|open\.spotify|player\.bilibili)\.com|(archive|upload\.wikimedia)\.org|player\.twitch\.tv)/i;

// The message is for people.
class NotReadable extends Error {}

class Reader extends Readability {
  // Version 0.6 cuts a site's name off a title at " - " and " | "; since then Mozilla does so at long dashes too.
  _getArticleTitle() {
    const shown = this._doc.title;
    const dashed = shown.replace(/ [–—] /g, " - ");
    this._doc.title = dashed;
    const title = super._getArticleTitle();
    this._doc.title = shown;
    const at = dashed.indexOf(title);
    return at < 0 ? title : shown.substring(at, at + title.length);
  }

  // Asked a hundred times a page, and linkedom would put a CSS selector together each time.
  _getAllNodesWithTag(root, tagNames) {
    const wanted = new Set(tagNames.map((name) => name.toLowerCase()));
    const found = [];
    for (let node = root[NEXT]; node !== root[END]; node = node[NEXT]) {
      if (node.nodeType === ELEMENT_NODE && wanted.has(node.localName.toLowerCase())) found.push(node);
    }
    return found;
  }

  // linkedom makes an object for the style of each element that is asked for it, which took a fifth of the time.
  _isProbablyVisible(node) {
    return node.hasAttribute("style") ? super._isProbablyVisible(node) : isShown(node);
  }
}

// The rest of what Readability asks, of an element without a style.
function isShown(node) {
  if (node.hasAttribute("hidden")) return false;
  return node.getAttribute("aria-hidden") !== "true" || node.className.includes("fallback-image");
}

// One by one: a list of them all would be the largest part of what is thrown away for a page.
function countOpenings(html) {
  const opening = /<[a-z]/gi;
  let count = 0;
  while (opening.test(html)) count++;
  return count;
}

function parse(html) {
  if (countOpenings(html) > MAX_NODES) throw new NotReadable(`The page has more than ${MAX_NODES.toLocaleString("en")} elements.`);
  const document = new DOMParser().parseFromString(html, "text/html");
  if (!document.documentElement || !document.body) throw new NotReadable("No article was found on the page.");
  refuseDepth(document.documentElement);
  return document;
}

function refuseDepth(root) {
  let depth = 0;
  let node = root;
  while (node) {
    if (node.firstElementChild) {
      node = node.firstElementChild;
      if (++depth > MAX_DEPTH) throw new NotReadable(`Tags are nested more than ${MAX_DEPTH.toLocaleString("en")} deep.`);
      continue;
    }
    while (node && node !== root && !node.nextElementSibling) {
      node = node.parentElement;
      depth--;
    }
    node = node === root ? null : node?.nextElementSibling;
  }
}

function read(html) {
  // Classes stay: prune takes them as hints, sanitise drops them.
  const article = new Reader(parse(html), { keepClasses: true, allowedVideoRegex: PLAYERS }).parse();
  if (!article?.content) throw new NotReadable("No article was found on the page.");
  const { title, byline, dir, lang, excerpt, siteName, publishedTime, content } = article;
  const fields = { title, byline, dir, lang, excerpt, site_name: siteName, published_time: publishedTime };
  for (const name in fields) fields[name] = fields[name]?.slice(0, MAX_FIELD_LENGTH) ?? null;
  return [{ code: OK, ...fields }, content];
}

// V8 can stop a running function only through a script with a time-out: so the work is called from one.
const call = new vm.Script("globalThis.keptWork()");

function answer({ timeout_ms: timeout }, body) {
  let html = body.toString("utf8");
  globalThis.keptWork = () => read(html);
  try {
    return call.runInThisContext({ timeout });
  } catch (error) {
    if (error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return [{ code: TIMED_OUT, message: "took too long" }, ""];
    if (error instanceof NotReadable) return [{ code: NOT_READABLE, message: error.message }, ""];
    const message = "No article was found on the page.";
    return [{ code: NOT_READABLE, message, detail: `Readability failed: ${error.message}` }, ""];
  } finally {
    globalThis.keptWork = html = null;
  }
}

function write([header, body]) {
  const head = Buffer.from(JSON.stringify(header));
  const text = Buffer.from(body);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(text.length, 4);
  const frame = Buffer.concat([lengths, head, text]);
  for (let at = 0; at < frame.length; ) at += writeSync(1, frame, at);
}

function receive(length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const received = readSync(0, bytes, at, length - at);
    if (received === 0) return null;
    at += received;
  }
  return bytes;
}

// Waits for each page without streams: Node takes a tenth longer to start with them, and there is nothing else to do.
function serve() {
  for (let lengths; (lengths = receive(8)); ) {
    const headLength = lengths.readUInt32BE(0);
    const bodyLength = lengths.readUInt32BE(4);
    if (headLength > MAX_HEADER_BYTES || bodyLength > MAX_BODY_BYTES) process.exit(2);
    const header = receive(headLength);
    const body = header && receive(bodyLength);
    if (!body) return;
    write(answer(JSON.parse(header.toString("utf8")), body));
  }
}

serve();
