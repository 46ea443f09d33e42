import assert from "node:assert/strict";
import {test} from "node:test";

import {completeTags, splitTags, takeTag} from "../../../extension/lib/completion.js";

const KNOWN = ["news", "harbour", "new york", "sea", "seaside", "日本"];

test("the last tag is completed, with those that begin with it first", () => {
  assert.deepEqual(completeTags("ne", KNOWN), ["news", "new york"]);
  assert.deepEqual(completeTags("news, SEA", KNOWN), ["seaside"]);
  assert.deepEqual(completeTags("bour", KNOWN), ["harbour"]);
  assert.deepEqual(completeTags("日", KNOWN), ["日本"]);
});

test("nothing typed and what is chosen already are not offered", () => {
  assert.deepEqual(completeTags("", KNOWN), []);
  assert.deepEqual(completeTags("news, ", KNOWN), []);
  assert.deepEqual(completeTags("news, ne", KNOWN), ["new york"]);
});

test("a tag that is taken stands in place of what was typed", () => {
  assert.equal(takeTag("ne", "news"), "news, ");
  assert.equal(takeTag("sea,  ne", "news"), "sea, news, ");
});

test("tags are split at commas, each once", () => {
  assert.deepEqual(splitTags(" sea, ,news,sea "), ["sea", "news"]);
});
