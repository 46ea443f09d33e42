// The service worker: keeps the list and the last articles for reading offline, and sends later what was changed offline.
// The server writes VERSION, SHELL (the URLs that belong to this version) and MAX_ARTICLES before this text.

const MAX_LISTS = 10;
const MAX_BYTES = 100e6;
const MAX_COPY_BYTES = 10e6; // an article with its images
const FRESH_MS = 24 * 60 * 60 * 1000;
const SHELL_CACHE = `shell ${VERSION}`;
const IMAGE = /^\/api\/(images\/|v1\/items\/[\w-]+\/thumbnail)/;
const CHANGES = /^(POST (\/add|\/items(\/[\w-]+)?|\/api\/v1\/media\/[\w-]+\/highlights)|PATCH \/api\/v1\/items\/[\w-]+)$/;
const NEEDS_SERVER = /(^|&)action=(delete|move|retry|ingest|recapture|capture)(&|$)/;
const LATER = [408, 425, 429]; // and 5xx: the server says "not now"
const MAX_CONFLICTS = 3;

let isOffline = false;

// Marks a text: the page that shows it translates it.
const t = (text) => text;

// --- what is stored beside the copies: changes that wait, a record of each copy, settings ---

let opening;

function openDatabase() {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("kept", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("changes", { keyPath: "id", autoIncrement: true });
      asked.result.createObjectStore("copies", { keyPath: "url" });
      asked.result.createObjectStore("settings");
    };
    asked.onsuccess = () => {
      asked.result.onclose = () => { opening = undefined; };
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
  });
  return opening;
}

async function stored(name, operation, ...values) {
  const database = await openDatabase();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, "readwrite", { durability: "strict" });
    const asked = transaction.objectStore(name)[operation](...values);
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const list = (name) => stored(name, "getAll");
const store = (made) => stored("changes", "put", made);
const setting = (name) => stored("settings", "get", name);
const set = (name, value) => stored("settings", "put", value, name);

// --- copies: pages and images of the person who is signed in ---

const openCopies = (user) => caches.open(`private ${user}`);

async function setUser(user) {
  if ((await setting("user")) === user) return;
  await set("user", user);
  await removeCopies();
}

async function removeCopies() {
  for (const name of await caches.keys()) if (name.startsWith("private")) await caches.delete(name);
  await stored("copies", "clear");
  await set("isFull", false);
}

// What comes after "?" of an article or a form says where it was opened from.
const keyOf = ({ pathname, search }) => (/^\/(read|items|add)\b/.test(pathname) ? pathname : pathname + search);

async function findCopy(url) {
  const user = await setting("user");
  return user ? (await openCopies(user)).match(keyOf(url)) : undefined;
}

const isList = (url) => url.pathname === "/" && !/[?&](q|cursor|done)=/.test(url.search);
const isArticle = (path) => path.startsWith("/read/");
const isKept = (url) => isList(url) || isArticle(url.pathname);

// Stores a response, unless somebody else has signed in since it was asked for.
async function put(user, url, response) {
  const size = (await response.clone().blob()).size;
  if ((await setting("user")) !== user) throw new Error("signed out");
  await (await openCopies(user)).put(url, response);
  return size;
}

async function keep(url, response) {
  const user = response.headers.get("Kept-User");
  if (!user || !response.ok || response.redirected || (await setting("isOff"))) return;
  const copy = { url: keyOf(url), at: Date.now(), bytes: 0, images: [], title: "" };
  try {
    const html = await response.clone().text();
    copy.title = html.match(/<title>(.*?)( · Kept)?<\/title>/s)?.[1] ?? copy.url;
    copy.images = [...new Set([...html.matchAll(/ src="(\/api\/[^"]+)"/g)].map(([, src]) => src.replaceAll("&amp;", "&")))];
    copy.bytes = await put(user, copy.url, response);
    await stored("copies", "put", copy);
    for (const image of copy.images) if (copy.bytes < MAX_COPY_BYTES) copy.bytes += await keepPart(user, image);
    if (isArticle(copy.url)) copy.bytes += await keepPart(user, copy.url.replace("read", "items"));
    await stored("copies", "put", copy);
    await evict(MAX_BYTES);
    if (isList(url)) await keepNext(user, html);
  } catch (problem) {
    if (problem.name !== "QuotaExceededError") return;
    await set("isFull", true);
    await evict((await countBytes()) / 2);
  }
}

// An image, or the form that edits an article's tags. Its size; 0 if it cannot be had now.
async function keepPart(user, url) {
  const held = await (await openCopies(user)).match(url);
  if (held && IMAGE.test(url)) return (await held.blob()).size;
  const response = await fetch(url, { headers: { Accept: "text/html, image/*" }, priority: "low" });
  return response.ok && !response.redirected ? put(user, url, response) : 0;
}

// The articles of a list, so that they can be read in turn; not where data costs money.
async function keepNext(user, html) {
  const { saveData, type } = navigator.connection ?? {};
  if (!(await findCopy(new URL("/add", location)))) await keepPart(user, "/add");
  if (saveData || type === "cellular") return;
  for (const path of new Set([...html.matchAll(/ href="(\/read\/[\w-]+)/g)].map(([, path]) => path))) {
    const held = await stored("copies", "get", path);
    if (held && Date.now() - held.at < FRESH_MS) continue;
    const response = await fetch(path, { headers: { Accept: "text/html" }, priority: "low" });
    await keep(new URL(path, location), response);
  }
}

const countBytes = async () => (await list("copies")).reduce((sum, copy) => sum + copy.bytes, 0);

// Removes the oldest copies that are beyond a limit.
async function evict(limit) {
  const copies = (await list("copies")).sort((one, other) => other.at - one.at);
  const cache = await openCopies(await setting("user"));
  const held = new Set();
  let [bytes, articles, lists] = [0, 0, 0];
  for (const copy of copies) {
    bytes += copy.bytes;
    if (isArticle(copy.url)) articles += 1;
    else lists += 1;
    if (bytes <= limit && articles <= MAX_ARTICLES && lists <= MAX_LISTS) copy.images.forEach((image) => held.add(image));
    else {
      await stored("copies", "delete", copy.url);
      const parts = [copy.url, copy.url.replace("read", "items"), ...copy.images.filter((image) => !held.has(image))];
      for (const part of parts) await cache.delete(part);
    }
  }
}

// --- answering requests: from the network whenever there is one ---

async function openPage(event, url) {
  try {
    const response = (await event.preloadResponse?.catch(() => null)) ?? (await fetch(event.request));
    isOffline = false;
    event.waitUntil(learn(url, response, isKept(url) ? response.clone() : null));
    return response;
  } catch {
    isOffline = true;
    return (await findCopy(url).catch(() => null)) ?? caches.match("/offline");
  }
}

async function learn(url, response, copy) {
  const user = response.headers.get("Kept-User");
  if (user) {
    await setUser(user);
    await send();
    await tell();
    if (copy) await keep(url, copy);
  } else if (response.ok && ["/sign-in", "/setup"].includes(url.pathname)) await setUser(null);
  await tell();
}

const fetchOrFind = (request, url) => fetch(request).catch(async () => (await findCopy(url)) ?? Response.error());

// A file of another version, which a page kept earlier asks for, is answered with the one of this version.
async function findAsset(request, url) {
  const shell = await caches.open(SHELL_CACHE);
  const same = await shell.match(url.pathname);
  if (same) return same;
  const response = await fetch(request).catch(() => Response.error());
  const current = SHELL.find((path) => path.endsWith(url.pathname.slice(url.pathname.lastIndexOf("/"))));
  return response.ok || !current ? response : ((await shell.match(current)) ?? response);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  // Only what our own scripts send: another site's form must not be sent by us, as if it were ours.
  const isOwn = request.headers.has("Kept-Fragment");
  if (isOwn && CHANGES.test(`${request.method} ${url.pathname}`)) event.respondWith(change(request, url));
  else if (request.mode === "navigate" && url.pathname === "/add/file" && !navigator.onLine) event.respondWith(share(request));
  else if (request.method !== "GET") return;
  else if (request.mode === "navigate") event.respondWith(openPage(event, url));
  else if (url.pathname.startsWith("/static/")) event.respondWith(findAsset(request, url));
  else if (IMAGE.test(url.pathname) || (isOwn && url.pathname.startsWith("/items/"))) event.respondWith(fetchOrFind(request, url));
});

// What another app shares: without a connection a link still fills in the form, which queues it. Nothing is sent from here.
async function share(request) {
  const said = [...(await request.formData())].filter(([, value]) => typeof value === "string");
  return Response.redirect(`/add?${new URLSearchParams(said)}`, 303);
}

// --- changes: sent at once, or queued and sent later in their order ---

async function change(request, url) {
  const made = { key: crypto.randomUUID(), user: request.headers.get("Kept-User"), method: request.method, url: url.pathname, type: request.headers.get("Content-Type"), body: await request.text() };
  if (NEEDS_SERVER.test(made.body)) return sendChange(made);
  if ((await waiting(made.user)).length) await send();
  if (!(await waiting(made.user)).length) {
    const response = await sendChange(made).catch(() => null);
    if (response) return response;
    isOffline = true;
  }
  return queue(made);
}

function sendChange({ key, user, method, url, type, body }) {
  const headers = { "Kept-Fragment": "1", "Kept-User": user, "Idempotency-Key": key, "Content-Type": type, Accept: "text/html, application/json" };
  return fetch(url, { method, headers, body });
}

const changesOf = async (user) => (await list("changes")).filter((one) => user && one.user === user);
const waiting = async (user) => (await changesOf(user)).filter((one) => !one.error);

async function queue(made) {
  const enqueue = async () => {
    const same = made.method === "PATCH" && (await waiting(made.user)).find(({ method, url }) => method === "PATCH" && url === made.url);
    const body = same && JSON.stringify({ ...JSON.parse(same.body), ...JSON.parse(made.body) });
    await store(same ? { ...same, body } : asApiRequest(made));
  };
  try {
    await enqueue().catch(() => removeCopies().then(enqueue)); // what cannot be had again goes before copies
  } catch {
    return Response.json({ error: { message: t("This browser has no room to keep the change until it can be sent.") } }, { status: 507 });
  }
  await registration.sync?.register("send").catch(() => {});
  await tell();
  return new Response(null, { status: 202, headers: { "Kept-Queued": "1" } });
}

// A link is saved by the API, whose answers are remembered by their key: sent twice, it is saved once.
function asApiRequest(made) {
  if (made.url !== "/add") return made;
  const { url, title, note, tags = "", library } = Object.fromEntries(new URLSearchParams(made.body));
  const body = { url, title: title || null, note: note || null, tags: tags.split(",").filter((tag) => tag.trim()), library_id: library || null, wait: false };
  return { ...made, url: "/api/v1/items", type: "application/json", body: JSON.stringify(body) };
}

// Sends what waits, oldest first. Whether nothing is left.
const send = () => navigator.locks.request("send", async () => {
  const user = await setting("user");
  for (const made of await waiting(user)) {
    const response = await sendChange(made).catch(() => null);
    isOffline = !response;
    if (!response) return false;
    await set("isSignedOut", response.status === 401);
    if (response.ok) await stored("changes", "delete", made.id);
    else if (response.status === 401) return false;
    else if (response.status === 409 && (made.conflicts ?? 0) < MAX_CONFLICTS) {
      await store({ ...made, conflicts: (made.conflicts ?? 0) + 1 }); // the first attempt may still be at work
      return false;
    } else if (response.status >= 500 || LATER.includes(response.status)) return false;
    else {
      const answer = await response.json().catch(() => null);
      await store({ ...made, error: answer?.error?.message ?? t("The server answered {status}."), status: response.status });
    }
    await tell();
  }
  return true;
});

// --- what the pages show, and what they ask for ---

async function tell() {
  const user = await setting("user");
  const copies = await list("copies");
  const state = {
    user,
    isOffline,
    isOff: Boolean(await setting("isOff")),
    isFull: Boolean(await setting("isFull")),
    isSignedOut: Boolean(await setting("isSignedOut")),
    bytes: await countBytes(),
    articles: copies.filter((copy) => isArticle(copy.url)).sort((one, other) => other.at - one.at).map(({ url, title }) => ({ url, title })),
    changes: await changesOf(user),
  };
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(state);
}

const COMMANDS = {
  send,
  // The first page was there before the service worker.
  visit: async (address) => {
    const url = new URL(address);
    const response = await fetch(url, { headers: { Accept: "text/html" } });
    await learn(url, response, isKept(url) ? response : null);
  },
  retry: async (id) => {
    const { error, conflicts, ...made } = await stored("changes", "get", id);
    await store(made);
    await send();
  },
  discard: (id) => stored("changes", "delete", id),
  turn: async (isOn) => {
    await set("isOff", !isOn);
    if (!isOn) await removeCopies();
  },
  remove: removeCopies,
};

self.addEventListener("message", (event) => {
  const { command, value } = event.data;
  event.waitUntil((async () => {
    await tell();
    if (COMMANDS[command]) await COMMANDS[command](value);
    await tell();
  })());
});

// Without a rejection the browser would not try again.
self.addEventListener("sync", (event) => event.waitUntil(send().then((isDone) => isDone || Promise.reject(new Error()))));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(SHELL_CACHE).then((shell) => shell.addAll(SHELL)));
});

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("shell") && name !== SHELL_CACHE) await caches.delete(name);
  await registration.navigationPreload?.enable();
  await clients.claim();
})()));
