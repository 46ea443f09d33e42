import assert from "node:assert/strict";
import {test} from "node:test";

import {canBeSaved, isUnencrypted, parseServer, patternOf} from "../../../extension/lib/server.js";

test("a server is what people type", () => {
  const typed = {
    "kept.example.org": "https://kept.example.org",
    " https://kept.example.org/library?x#y ": "https://kept.example.org",
    "HTTP://Kept.Example.org:8484": "http://kept.example.org:8484",
    "192.168.1.5:8484": "http://192.168.1.5:8484",
    "localhost:8484": "http://localhost:8484",
    "https://user:secret@kept.example.org": "https://kept.example.org",
    "ケプト.example": "https://xn--rck3b1b.example",
  };
  for (const [text, origin] of Object.entries(typed)) assert.equal(parseServer(text), origin, text);
});

test("what names no server is none", () => {
  for (const text of ["", "  ", "javascript://alert(1)", "file:///etc/passwd", "https://", "a b", "ftp://x"]) {
    assert.equal(parseServer(text), null, text);
  }
});

test("permission is asked for one server alone", () => {
  assert.equal(patternOf("http://10.0.0.2:8484", false), "http://10.0.0.2:8484/*");
  assert.equal(patternOf("http://10.0.0.2:8484", true), "http://10.0.0.2/*");
  assert.equal(patternOf("https://kept.example", true), "https://kept.example/*");
});

test("only what leaves the machine without HTTPS is warned of", () => {
  assert.equal(isUnencrypted("http://192.168.1.5:8484"), true);
  assert.equal(isUnencrypted("http://127.0.0.1:8484"), false);
  assert.equal(isUnencrypted("https://kept.example"), false);
});

test("the browser's own pages cannot be saved", () => {
  assert.equal(canBeSaved("https://example.org/"), true);
  for (const url of ["about:blank", "chrome://settings", "file:///x", "data:text/html,x", undefined]) {
    assert.equal(canBeSaved(url), false);
  }
});
