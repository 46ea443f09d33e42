// What a person types as their server, and what may be asked of the browser for it. Pure.

/** The origin of a server ("https://kept.example.org"), or null if the text names none. */
export function parseServer(text) {
  const typed = text.trim();
  if (!typed) return null;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  try {
    const url = new URL(hasScheme ? typed : `https://${typed}`);
    if (!["http:", "https:"].includes(url.protocol) || !url.hostname) return null;
    if (!hasScheme && isLocal(url.hostname)) url.protocol = "http:";
    return url.origin;
  } catch {
    return null;
  }
}

/** A machine at home rarely has a certificate. */
export function isLocal(host) {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.|^10\.|^192\.168\./.test(host);
}

/** Whether what is sent there could be read on the way. */
export function isUnencrypted(origin) {
  const url = new URL(origin);
  const staysHere = url.hostname === "localhost" || url.hostname === "[::1]" || url.hostname.startsWith("127.");
  return url.protocol === "http:" && !staysHere;
}

/** The match pattern of one server. Firefox's patterns have no ports. */
export function patternOf(origin, isFirefox) {
  const url = new URL(origin);
  return `${url.protocol}//${isFirefox ? url.hostname : url.host}/*`;
}

export function hostOf(origin) {
  return new URL(origin).host;
}

export function canBeSaved(url) {
  return /^https?:\/\//i.test(url ?? "");
}
