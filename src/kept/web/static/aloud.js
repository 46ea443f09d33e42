// Read aloud by the browser's own voices: sentence by sentence, from the first one in view, the spoken one marked.

import { find, findAll } from "./page.js";
import { BLOCKS } from "./highlights.js";

const SKIPPED = "pre,rt,rp,math";
const TOP = 60; // below the reader's bar

const prose = find("#prose");
const player = find("#player");
const [rate, voice] = findAll("select", player);
const lang = find(".article").lang || "";
let sentences = [];
let at = 0;
let spoken = null;

const baseOf = (tag) => tag.toLowerCase().split(/[-_]/)[0];
const voices = () => speechSynthesis.getVoices().filter((one) => !lang || baseOf(one.lang) === baseOf(lang));

// The text nodes of each block, in order.
function* blocks() {
  const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
  let nodes = [];
  let block;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const inside = node.parentElement.closest(BLOCKS);
    if (node.parentElement.closest(SKIPPED)) continue;
    if (inside !== block && nodes.length) yield nodes.splice(0);
    block = inside;
    nodes.push(node);
  }
  yield nodes;
}

function placeOf(nodes, offset) {
  const node = nodes.find((one) => offset <= one.length || !(offset -= one.length, true));
  return [node, offset];
}

function split() {
  const segmenter = new Intl.Segmenter(lang || undefined, { granularity: "sentence" });
  sentences = [];
  for (const nodes of blocks()) {
    for (const { segment, index } of segmenter.segment(nodes.map((node) => node.data).join(""))) {
      if (!/[\p{L}\p{N}]/u.test(segment)) continue;
      const range = new Range();
      range.setStart(...placeOf(nodes, index));
      range.setEnd(...placeOf(nodes, index + segment.trimEnd().length));
      sentences.push({ text: segment, range });
    }
  }
}

function show(range) {
  window.CSS?.highlights?.set("spoken", new Highlight(range));
  const { top, bottom } = range.getBoundingClientRect();
  if (top < TOP || bottom > innerHeight - TOP) range.startContainer.parentElement.scrollIntoView({ block: "center" });
}

function speak() {
  if (!sentences[at]) return stop();
  if (!sentences[at].range.startContainer.isConnected) split(); // the highlights were drawn again
  const { text, range } = sentences[at];
  const utterance = new SpeechSynthesisUtterance(text);
  const chosen = voices().find((one) => one.voiceURI === voice.value);
  Object.assign(utterance, { lang: chosen?.lang ?? lang, rate: Number(rate.value), voice: chosen ?? null });
  utterance.onend = () => {
    if (spoken !== utterance) return;
    at += 1;
    speak();
  };
  spoken = null;
  speechSynthesis.cancel();
  spoken = utterance;
  show(range);
  speechSynthesis.speak(utterance);
  setPlaying(true);
}

function setPlaying(isPlaying) {
  find("[value=toggle]", player).ariaPressed = isPlaying;
}

// Speech that was paused by the browser does not always go on; the sentence is begun again instead.
function pause() {
  spoken = null;
  speechSynthesis.cancel();
  setPlaying(false);
}

function stop() {
  pause();
  window.CSS?.highlights?.delete("spoken");
  player.hidden = true;
}

function begin() {
  split();
  at = Math.max(0, sentences.findIndex(({ range }) => range.getBoundingClientRect().top >= TOP));
  player.hidden = false;
  speak();
}

function move(by) {
  at = Math.min(sentences.length - 1, Math.max(0, at + by));
  speak();
}

const actions = {
  toggle: () => (player.hidden ? begin() : spoken ? pause() : speak()),
  previous: () => move(-1),
  next: () => move(1),
  stop,
};

export const shortcuts = {
  p: () => !find("#listen").hidden && actions.toggle(),
  "[": () => !player.hidden && move(-1),
  "]": () => !player.hidden && move(1),
};

function offer() {
  const found = voices();
  find("#listen").hidden = !found.length;
  voice.replaceChildren(...found.map((one) => new Option(one.name, one.voiceURI, one.default, one.default)));
}

export function start() {
  if (!window.Intl?.Segmenter) return;
  rate.value = localStorage.speechRate ?? "1";
  offer();
  speechSynthesis.addEventListener("voiceschanged", offer);
  find("#listen").addEventListener("click", actions.toggle);
  player.addEventListener("click", ({ target }) => actions[target.closest("button")?.value]?.());
  player.addEventListener("change", () => {
    localStorage.speechRate = rate.value;
    if (spoken) speak();
  });
  addEventListener("pagehide", stop);
}
