// The pipeline that Kept is measured against: jsdom, Readability, DOMPurify, in one long-lived process.
// Frames as in js/sidecar.mjs; one window is kept for DOMPurify, as its documentation advises.
import createDOMPurify from "dompurify";
import { JSDOM, VirtualConsole } from "jsdom";
import { Readability } from "@mozilla/readability";

const purify = createDOMPurify(new JSDOM("").window);
const quiet = new VirtualConsole();

function read(html, url) {
  const dom = new JSDOM(html, { url, virtualConsole: quiet });
  try {
    const article = new Readability(dom.window.document).parse();
    return [{ title: article?.title }, purify.sanitize(article?.content ?? "")];
  } finally {
    dom.window.close();
  }
}

function write([header, body]) {
  const head = Buffer.from(JSON.stringify(header));
  const text = Buffer.from(body);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(text.length, 4);
  process.stdout.write(Buffer.concat([lengths, head, text]));
}

let held = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  held = Buffer.concat([held, chunk]);
  while (held.length >= 8) {
    const bodyAt = 8 + held.readUInt32BE(0);
    const end = bodyAt + held.readUInt32BE(4);
    if (held.length < end) break;
    const { url } = JSON.parse(held.toString("utf8", 8, bodyAt));
    write(read(held.toString("utf8", bodyAt, end), url));
    held = held.subarray(end);
  }
}
