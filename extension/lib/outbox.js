// The queue at work. Only the background script changes it: one change after another, one entry sent at a time.
import {showQueue} from "./badge.js";
import {browser} from "./browser.js";
import {ApiError} from "./client.js";
import {listFileIds, removeFile} from "./files.js";
import {afterError, FIRST_WAIT_MS, isDue, makeEntry, nextDueAt, revive} from "./queue.js";
import {sendEntry} from "./sending.js";
import {findServer, readQueue, writeQueue} from "./storage.js";

export const ALARM = "queue";

let lastChange = Promise.resolve();
let sending = null;

function change(edit) {
  const changed = lastChange.then(async () => {
    const queue = edit(await readQueue());
    await writeQueue(queue);
    await showQueue(queue);
  });
  lastChange = changed.catch(() => {});
  return changed;
}

function update(id, edit) {
  return change((queue) => queue.map((entry) => (entry.id === id ? edit(entry) : entry)));
}

/** Puts it into the queue, tries to send it, and says how far that came: {state, item?, message?, problem?}.
 *
 * A page's file is in the store already, under the same id. */
export async function submit(what, id = crypto.randomUUID()) {
  const entry = makeEntry(id, what, Date.now());
  await change((queue) => [...queue, entry]);
  return (await sendDue()).get(entry.id) ?? (await tellState(entry.id));
}

async function tellState(id) {
  const entry = (await readQueue()).find((waiting) => waiting.id === id);
  return entry ? {state: entry.state, problem: entry.problem, message: entry.message} : {state: "saved", item: null};
}

/** Sends what is due. Whoever asks meanwhile gets a round of their own after this one. Items by the entries' ids. */
export function sendDue() {
  const round = (sending ?? Promise.resolve()).then(sendRound);
  sending = round.catch(() => {});
  return round;
}

async function sendRound() {
  const sent = new Map();
  for (const entry of (await readQueue()).filter((waiting) => isDue(waiting, Date.now()))) {
    sent.set(entry.id, await sendOne(entry));
  }
  await planAlarm();
  return sent;
}

async function sendOne(entry) {
  const server = await findServer(entry.origin);
  try {
    if (!server) throw new ApiError("This server is not connected.", {status: 401});
    const item = await sendEntry(server, entry, (learnt) => update(entry.id, (kept) => ({...kept, ...learnt})));
    await discard(entry.id);
    return {state: "saved", item};
  } catch (error) {
    if (!(error instanceof ApiError)) console.error(error);
    const told = error instanceof ApiError ? error : new ApiError(String(error), {status: 400});
    await update(entry.id, (kept) => afterError(kept, told, Date.now()));
    return tellState(entry.id);
  }
}

export async function discard(id) {
  await change((queue) => queue.filter((entry) => entry.id !== id));
  await removeFile(id);
}

/** Those for which `chosen` is true are tried at once. */
export async function retry(chosen) {
  await change((queue) => queue.map((entry) => (chosen(entry) ? revive(entry, Date.now()) : entry)));
  return sendDue();
}

async function planAlarm() {
  const dueAt = nextDueAt(await readQueue());
  if (dueAt === null) await browser.alarms.clear(ALARM);
  else await browser.alarms.create(ALARM, {when: Math.max(dueAt, Date.now() + FIRST_WAIT_MS)});
}

/** After a browser was killed: files without an entry go, the badge is right, and what waits is tried. */
export async function resume() {
  const queue = await readQueue();
  const known = new Set(queue.map((entry) => entry.id));
  for (const id of await listFileIds()) if (!known.has(id)) await removeFile(id);
  await showQueue(queue);
  return retry((entry) => entry.problem === "unreachable");
}
