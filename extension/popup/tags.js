// Completion of tags: the known ones that go on from what is typed, as buttons below the field.
import {call} from "../lib/client.js";
import {completeTags, takeTag} from "../lib/completion.js";
import {say} from "../lib/i18n.js";

const MOST_KNOWN = 1000;

const field = document.getElementById("tags");
const list = document.getElementById("suggestions");
let known = [];

export async function offerTags(server) {
  const found = await call(server, "GET", `/api/v1/tags?library_id=all&limit=${MOST_KNOWN}`).catch(() => []);
  known = found.map((tag) => tag.name);
  show();
}

function show() {
  list.replaceChildren(...completeTags(field.value, known).map(suggestion));
}

function suggestion(tag) {
  const [row, button] = [document.createElement("li"), document.createElement("button")];
  button.type = "button";
  button.className = "small";
  button.textContent = tag;
  button.setAttribute("aria-label", say("add_tag", tag));
  button.addEventListener("click", () => take(tag));
  row.append(button);
  return row;
}

function take(tag) {
  field.value = takeTag(field.value, tag);
  field.focus();
  show();
}

field.addEventListener("input", show);
