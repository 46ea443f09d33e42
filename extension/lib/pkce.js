// Proof that who brings a code is who asked for it (RFC 7636).

export function randomText() {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

export async function challengeOf(verifier) {
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function encode(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
