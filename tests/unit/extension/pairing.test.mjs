import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {test} from "node:test";

import {readCode} from "../../../extension/lib/pairing.js";
import {challengeOf, randomText} from "../../../extension/lib/pkce.js";

const pairing = {origin: "https://kept.example", state: "s", verifier: "v", until: 100};
const done = "https://kept.example/connect/done";

test("the challenge is the hash of the verifier, in base64url", async () => {
  const verifier = randomText();
  assert.match(verifier, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(await challengeOf(verifier), createHash("sha256").update(verifier).digest("base64url"));
  assert.notEqual(randomText(), verifier);
});

test("a code counts on the page of the server that was asked, with the state that was sent, in time", () => {
  assert.equal(readCode(pairing, `${done}#code=c&state=s`, 100), "c");
  assert.equal(readCode(pairing, `${done}#code=c&state=s`, 101), null);
  assert.equal(readCode(pairing, `${done}#code=c&state=other`, 1), null);
  assert.equal(readCode(pairing, "https://kept.example.evil/connect/done#code=c&state=s", 1), null);
  assert.equal(readCode(pairing, "https://evil.example/?https://kept.example/connect/done#code=c&state=s", 1), null);
  assert.equal(readCode(pairing, "https://kept.example/read/1#code=c&state=s", 1), null);
  assert.equal(readCode(undefined, `${done}#code=c&state=s`, 1), null);
  assert.equal(readCode(pairing, undefined, 1), null);
});
