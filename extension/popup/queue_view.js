// What waits to be sent, and what could not be, with the way to try again or to give up.
import {ask} from "../lib/ask.js";
import {say} from "../lib/i18n.js";
import {count} from "../lib/queue.js";
import {hostOf} from "../lib/server.js";
import {readQueue} from "../lib/storage.js";

const by = (id) => document.getElementById(id);

export async function showQueue() {
  const queue = await readQueue();
  const {failed, waiting} = count(queue);
  by("queue").hidden = !queue.length;
  by("queue-summary").textContent = failed ? say("title_failed", failed) : say("title_waiting", waiting);
  by("queue-rows").replaceChildren(...queue.map(rowOf));
}

function rowOf(entry) {
  const row = document.createElement("li");
  const name = document.createElement("div");
  name.textContent = entry.title || entry.url;
  const why = document.createElement("div");
  why.className = entry.state === "failed" ? "bad" : "faint";
  why.textContent = `${hostOf(entry.origin)}: ${explain(entry)}`;
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  buttons.append(button("try_again", "retry", entry), button("discard", "discard", entry));
  row.append(name, why, buttons);
  return row;
}

function explain(entry) {
  if (entry.problem === "refused" && entry.message) return entry.message;
  return say(`state_${entry.problem ?? "waiting"}`);
}

function button(text, request, entry) {
  const made = document.createElement("button");
  made.className = "small";
  made.textContent = say(text);
  made.setAttribute("aria-label", `${say(text)}: ${entry.title || entry.url}`);
  made.addEventListener("click", async () => {
    await ask(request, {id: entry.id});
    await showQueue();
  });
  return made;
}
