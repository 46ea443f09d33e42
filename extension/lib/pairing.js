// Connecting a server: a page of Kept asks the person, its URL then carries a one-time code, which is traded for a token.
import {browser} from "./browser.js";
import {ApiError, call} from "./client.js";
import {challengeOf, randomText} from "./pkce.js";
import {putServer} from "./storage.js";

const DONE = "/connect/done";
const WITHIN_MS = 10 * 60_000;

/** Opens the page on which the person agrees. */
export async function beginPairing(origin, deviceName) {
  await requireKept(origin);
  const [state, verifier] = [randomText(), randomText()];
  const asked = new URLSearchParams({challenge: await challengeOf(verifier), state, name: deviceName});
  await browser.storage.session.remove("pairingError");
  await browser.storage.session.set({pairing: {origin, state, verifier, until: Date.now() + WITHIN_MS}});
  await browser.tabs.create({url: `${origin}/connect?${asked}`});
}

/** Another kind of server would get no further than this. */
async function requireKept(origin) {
  try {
    await call({origin}, "GET", "/api/v1/me");
  } catch (error) {
    if (error.status === 0) throw error;
    if (error.code === "E_UNAUTHORIZED") return;
  }
  throw new ApiError("no_kept", {status: 404});
}

/** The code in a tab's URL if it answers our own request, else null. Pure. */
export function readCode(pairing, url, now) {
  if (!pairing || now > pairing.until || !url?.startsWith(`${pairing.origin}${DONE}#`)) return null;
  const told = new URLSearchParams(new URL(url).hash.slice(1));
  return told.get("state") === pairing.state ? told.get("code") : null;
}

/** For each URL a tab comes to; whether it was the end of a pairing. */
export async function finishPairing(tabId, url) {
  const {pairing} = await browser.storage.session.get("pairing");
  const code = readCode(pairing, url, Date.now());
  if (!code) return false;
  await browser.storage.session.remove("pairing");
  const {origin, verifier} = pairing;
  try {
    const made = await call({origin}, "POST", "/api/v1/connect/token", {json: {code, verifier}});
    const me = await call({origin, token: made.token}, "GET", "/api/v1/me");
    await putServer({origin, token: made.token, deviceName: made.name, userName: me.user.name});
  } catch (error) {
    await browser.storage.session.set({pairingError: error.message});
    return false;
  }
  await browser.tabs.remove(tabId).catch(() => {});
  return true;
}
