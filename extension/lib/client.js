// Kept's HTTP API. The token goes to the server it is for, and no cookie goes along.

const SECONDS = 30;

/** An answer that is an error; `status` 0 if there was no answer. */
export class ApiError extends Error {
  constructor(message, {status = 0, code = "", retryAfter = null} = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export async function call(server, method, path, {json, form, key, seconds = SECONDS} = {}) {
  const response = await send(server, method, path, {json, form, key, seconds});
  if (response.status === 204) return null;
  const body = await readJson(response);
  if (response.ok && body) return body.data;
  throw failure(response, body);
}

export async function fetchImage(server, path) {
  const response = await send(server, "GET", path, {seconds: SECONDS});
  if (!response.ok) throw failure(response, null);
  return response.blob();
}

async function send(server, method, path, {json, form, key, seconds}) {
  const headers = {};
  if (server.token) headers.Authorization = `Bearer ${server.token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const body = json === undefined ? form : JSON.stringify(json);
  const options = {method, headers, body, credentials: "omit", cache: "no-store", redirect: "error"};
  try {
    return await fetch(server.origin + path, {...options, signal: AbortSignal.timeout(seconds * 1000)});
  } catch (error) {
    throw new ApiError(String(error?.message ?? error));
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

function failure(response, body) {
  const retryAfter = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const {code = "", message = `HTTP ${response.status}`} = body?.error ?? {};
  // An answer of 200 that is no JSON comes from a proxy or a portal: as good as none.
  const status = response.ok ? 0 : response.status;
  return new ApiError(message, {status, code, retryAfter: Number.isNaN(retryAfter) ? null : retryAfter});
}
