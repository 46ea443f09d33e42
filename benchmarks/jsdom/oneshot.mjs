// One page, one process: HTML on stdin, its address as the argument, Readability's article as JSON on stdout.
import { JSDOM, VirtualConsole } from "jsdom";
import { Readability } from "@mozilla/readability";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const html = Buffer.concat(chunks).toString("utf8");
const { window } = new JSDOM(html, { url: process.argv[2], virtualConsole: new VirtualConsole() });
const article = new Readability(window.document, { keepClasses: true }).parse();
process.stdout.write(JSON.stringify({ title: article?.title, byline: article?.byline, content: article?.content }));
