import assert from "node:assert/strict";
import {test} from "node:test";

import {ApiError} from "../../../extension/lib/client.js";
import {afterError, badgeOf, count, isDue, makeEntry, nextDueAt, revive, waitMs} from "../../../extension/lib/queue.js";

const NOW = 1_000_000;
const DAY = 24 * 3_600_000;
const link = makeEntry("a", {kind: "link", origin: "https://kept.example", url: "https://example.org/", fields: {}}, NOW);
const quote = {...link, kind: "highlight", mediaId: "m"};
const failing = (entry, status, code = "", retryAfter = null) =>
  afterError(entry, new ApiError("why", {status, code, retryAfter}), NOW);

test("a new entry is due at once", () => {
  assert.equal(isDue(link, NOW), true);
  assert.equal(isDue({...link, nextAt: NOW + 1}, NOW), false);
});

test("no answer, a busy server and a rate limit are tried again, later each time", () => {
  for (const status of [0, 429, 500, 503]) {
    const once = failing(link, status);
    assert.equal(once.state, "waiting");
    assert.equal(once.nextAt, NOW + 30_000);
    assert.equal(failing(once, status).nextAt, NOW + 60_000);
  }
  assert.equal(waitMs(1, 90), 90_000);
  assert.equal(waitMs(40, null), 3_600_000);
});

test("what the server refuses is given up, with its words", () => {
  for (const status of [400, 403, 404, 413, 422]) {
    const refused = failing(link, status);
    assert.deepEqual([refused.state, refused.problem, refused.message], ["failed", "refused", "why"]);
  }
});

test("a revoked token is told apart, and connecting again revives what it stopped", () => {
  const stopped = failing(link, 401);
  assert.deepEqual([stopped.state, stopped.problem], ["failed", "disconnected"]);
  assert.equal(isDue(revive(stopped, NOW), NOW), true);
});

test("a highlight waits for its article for three days", () => {
  assert.equal(failing(quote, 409, "E_CONFLICT").state, "waiting");
  assert.equal(failing(quote, 409, "E_CONFLICT").problem, "not_ready");
  assert.equal(failing({...quote, addedAt: NOW - 3 * DAY}, 409, "E_CONFLICT").state, "failed");
  assert.equal(failing(quote, 409, "E_TOO_MANY_HIGHLIGHTS").state, "failed");
});

test("a key that another request has used is not tried for ever", () => {
  let entry = link;
  for (let tries = 0; tries < 10; tries++) entry = failing(entry, 409, "E_CONFLICT");
  assert.equal(entry.state, "failed");
});

test("an entry that fails keeps its id: it is the idempotency key", () => {
  assert.equal(failing(failing(link, 0), 503).id, "a");
  assert.equal(revive(failing(link, 400), NOW).id, "a");
});

test("the alarm is for what is due first, and the badge tells the worst", () => {
  const failed = failing(link, 400);
  assert.equal(nextDueAt([]), null);
  assert.equal(nextDueAt([failed]), null);
  assert.equal(nextDueAt([failing(link, 0), {...link, nextAt: 5}]), 5);
  assert.equal(badgeOf(count([])).text, "");
  assert.equal(badgeOf(count([link, quote])).text, "2");
  assert.equal(badgeOf(count([link, failed])).text, "!");
  assert.equal(badgeOf({failed: 0, waiting: 1000}).text, "99+");
});
