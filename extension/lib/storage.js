// What the extension remembers: servers with their tokens, which one is active, settings, and the queue's entries.
import {browser} from "./browser.js";

/** Scripts in pages, ours among them, have no business with tokens. */
export async function keepFromPages() {
  await browser.storage.local.setAccessLevel?.({accessLevel: "TRUSTED_CONTEXTS"});
}

async function read(name, otherwise) {
  return (await browser.storage.local.get(name))[name] ?? otherwise;
}

export async function listServers() {
  return read("servers", []);
}

export async function findServer(origin) {
  return (await listServers()).find((server) => server.origin === origin) ?? null;
}

export async function findActiveServer() {
  const [servers, active] = [await listServers(), await read("active", null)];
  return servers.find((server) => server.origin === active) ?? servers[0] ?? null;
}

export async function activate(origin) {
  await browser.storage.local.set({active: origin});
}

/** In place of one with the same origin; it becomes the active one. */
export async function putServer(server) {
  const others = (await listServers()).filter((known) => known.origin !== server.origin);
  await browser.storage.local.set({servers: [...others, server], active: server.origin});
}

export async function removeServer(origin) {
  await browser.storage.local.set({servers: (await listServers()).filter((server) => server.origin !== origin)});
}

export async function readSettings() {
  return {saveOnOpen: false, ...(await read("settings", {}))};
}

export async function changeSettings(change) {
  await browser.storage.local.set({settings: {...(await readSettings()), ...change}});
}

export async function readQueue() {
  return read("queue", []);
}

export async function writeQueue(queue) {
  await browser.storage.local.set({queue});
}
