// Sends one entry of the queue. Throws ApiError; whoever calls decides what that means.
import {ApiError, call} from "./client.js";
import {findFile} from "./files.js";

const UPLOAD_SECONDS = 300;

/** The item, and the entry with what was learnt on the way (so that a second try goes on from there). */
export async function sendEntry(server, entry, remember) {
  if (entry.kind === "page") return sendPage(server, entry);
  if (entry.kind === "highlight") return sendHighlight(server, entry, remember);
  return call(server, "POST", "/api/v1/items", {json: linkOf(entry), key: entry.id});
}

function linkOf(entry) {
  return {url: entry.url, ...entry.fields};
}

async function sendPage(server, entry) {
  const file = await findFile(entry.id);
  if (!file) throw new ApiError("The captured page is gone.", {status: 410});
  const form = new FormData();
  form.append("url", entry.url);
  for (const [name, value] of Object.entries(entry.fields)) {
    if (Array.isArray(value)) form.append(name, value.join(","));
    else if (value) form.append(name, value);
  }
  form.append("file", file, entry.fileName);
  return call(server, "POST", "/api/v1/items/page", {form, key: entry.id, seconds: UPLOAD_SECONDS});
}

/** First the page, then its highlight; the server says 409 until there is an article to find the words in. */
async function sendHighlight(server, entry, remember) {
  if (!entry.mediaId) {
    const item = await call(server, "POST", "/api/v1/items", {json: linkOf(entry), key: `${entry.id}.page`});
    await remember({mediaId: item.media_id, itemId: item.id});
    entry = {...entry, mediaId: item.media_id, itemId: item.id};
  }
  await call(server, "POST", `/api/v1/media/${entry.mediaId}/highlights`, {json: entry.quote, key: entry.id});
  return call(server, "GET", `/api/v1/items/${entry.itemId}`);
}
