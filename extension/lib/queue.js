// What waits to be sent, as plain values: how an entry is made, and what an answer means for it. Pure.

export const FIRST_WAIT_MS = 30_000; // browsers ring an alarm no sooner
const LONGEST_WAIT_MS = 3_600_000;
const MOST_TRIES_AT_CONFLICT = 10;
// An article is there in seconds, or a site was away; after that nobody expects the highlight any more.
const ARTICLE_WITHIN_MS = 3 * 24 * 3_600_000;
const WORTH_ANOTHER_TRY = new Set([0, 408, 425, 429, 500, 502, 503, 504]);

/** `what` has `kind` ("link", "page" or "highlight"), `origin`, `url`, `title`, `fields`, and `quote` or `file`. */
export function makeEntry(id, what, now) {
  return {...what, id, state: "waiting", problem: null, tries: 0, addedAt: now, nextAt: now};
}

export function isDue(entry, now) {
  return entry.state === "waiting" && entry.nextAt <= now;
}

/** The entry after an error, to be tried again or given up. */
export function afterError(entry, error, now) {
  const tries = entry.tries + 1;
  if (!isWorthAnotherTry(entry, error, tries, now)) {
    return {...entry, tries, state: "failed", problem: problemOf(error), message: error.message};
  }
  return {...entry, tries, problem: problemOf(error), nextAt: now + waitMs(tries, error.retryAfter)};
}

function isWorthAnotherTry(entry, error, tries, now) {
  if (WORTH_ANOTHER_TRY.has(error.status)) return true;
  if (error.status !== 409 || error.code !== "E_CONFLICT") return false;
  const awaitsArticle = entry.kind === "highlight" && Boolean(entry.mediaId);
  return awaitsArticle ? now - entry.addedAt < ARTICLE_WITHIN_MS : tries < MOST_TRIES_AT_CONFLICT;
}

function problemOf(error) {
  if (error.status === 0) return "unreachable";
  if (error.status === 401) return "disconnected";
  if (error.status === 409) return "not_ready";
  return error.status >= 500 || error.status === 429 ? "busy" : "refused";
}

export function waitMs(tries, retryAfterSeconds) {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  return Math.max(backoff, (retryAfterSeconds ?? 0) * 1000);
}

/** To be tried at once: because somebody asks for it, or because the server is connected again. */
export function revive(entry, now) {
  return {...entry, state: "waiting", problem: null, tries: 0, nextAt: now};
}

/** When the next one is due, or null. */
export function nextDueAt(entries) {
  const times = entries.filter((entry) => entry.state === "waiting").map((entry) => entry.nextAt);
  return times.length ? Math.min(...times) : null;
}

export function count(entries) {
  const failed = entries.filter((entry) => entry.state === "failed").length;
  return {failed, waiting: entries.length - failed};
}

/** Text and colour of the badge; null where a saved page's own badge may show. */
export function badgeOf({failed, waiting}) {
  if (failed) return {text: "!", colour: "#a1352b"};
  if (waiting) return {text: waiting > 99 ? "99+" : String(waiting), colour: "#8a6414"};
  return {text: "", colour: "#27614f"};
}
