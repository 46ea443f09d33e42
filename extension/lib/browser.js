// Chromium's and Firefox's API under one name. Both answer with promises.
export const browser = globalThis.browser ?? globalThis.chrome;
export const isFirefox = browser?.runtime?.getURL?.("").startsWith("moz-extension:") ?? false;
