// The options page: servers to connect and disconnect, and settings.
import {ask} from "../lib/ask.js";
import {browser, isFirefox} from "../lib/browser.js";
import {call} from "../lib/client.js";
import {fillTexts, say} from "../lib/i18n.js";
import {hostOf, isUnencrypted, parseServer, patternOf} from "../lib/server.js";
import {activate, changeSettings, findActiveServer, listServers, readSettings, removeServer} from "../lib/storage.js";

const by = (id) => document.getElementById(id);
const MHTML = {permissions: ["pageCapture"]};

async function begin() {
  fillTexts(document);
  by("device").value = await nameDevice();
  by("save-on-open").checked = (await readSettings()).saveOnOpen;
  by("mhtml-label").hidden = isFirefox;
  by("mhtml").checked = !isFirefox && (await browser.permissions.contains(MHTML));
  await showServers();
  if (!(await listServers()).length) by("origin").focus();
}

async function nameDevice() {
  const {os} = await browser.runtime.getPlatformInfo();
  return say("device_default", isFirefox ? "Firefox" : "Chromium", os);
}

async function showServers() {
  const [servers, active] = [await listServers(), await findActiveServer()];
  by("no-servers").hidden = servers.length > 0;
  by("servers").replaceChildren(...servers.map((server) => rowOf(server, server.origin === active?.origin)));
}

function rowOf(server, isActive) {
  const [row, label, choice, text] = ["li", "label", "input", "span"].map((name) => document.createElement(name));
  label.className = "check";
  Object.assign(choice, {type: "radio", name: "active", checked: isActive});
  choice.addEventListener("change", () => activate(server.origin));
  text.textContent = say("connected_as", hostOf(server.origin), server.userName);
  label.append(choice, text);
  const button = document.createElement("button");
  button.className = "small";
  button.textContent = say("disconnect");
  button.setAttribute("aria-label", `${say("disconnect")}: ${hostOf(server.origin)}`);
  button.addEventListener("click", () => disconnect(server));
  row.append(label, button);
  return row;
}

/** The browser asks about this one server, and must be asked on the click itself. */
async function connect() {
  const origin = parseServer(by("origin").value);
  if (!origin) return tell("state_no_url");
  const allowed = browser.permissions.request({origins: [patternOf(origin, isFirefox)]});
  tell("state_connecting");
  try {
    if (!(await allowed)) return tell("state_not_allowed");
    await ask("connect", {origin, deviceName: by("device").value});
    tell("state_agree");
  } catch (error) {
    tell(error.message === "no_kept" ? "state_no_kept" : "state_unreachable");
  }
}

async function disconnect(server) {
  await revoke(server).catch(() => {}); // a server that is gone is disconnected too
  await removeServer(server.origin);
  await browser.permissions.remove({origins: [patternOf(server.origin, isFirefox)]}).catch(() => {});
  await showServers();
  by("origin").focus();
  tell("state_disconnected_now");
}

async function revoke({origin, token}) {
  await call({origin}, "POST", "/api/v1/connect/revoke", {json: {token}});
}

async function changeMhtml() {
  const wanted = by("mhtml").checked;
  const done = wanted ? browser.permissions.request(MHTML) : browser.permissions.remove(MHTML);
  by("mhtml").checked = (await done) === wanted ? wanted : !wanted;
}

function tell(name) {
  by("status").textContent = say(name);
}

by("connect-form").addEventListener("submit", (event) => {
  event.preventDefault();
  connect();
});
by("origin").addEventListener("input", () => {
  const origin = parseServer(by("origin").value);
  by("unencrypted").hidden = !origin || !isUnencrypted(origin);
});
by("save-on-open").addEventListener("change", () => changeSettings({saveOnOpen: by("save-on-open").checked}));
by("mhtml").addEventListener("change", changeMhtml);
browser.storage.onChanged.addListener(async (changes) => {
  if (changes.pairingError?.newValue) by("status").textContent = changes.pairingError.newValue;
  if (!changes.servers) return;
  await showServers();
  const [before, after] = [changes.servers.oldValue ?? [], changes.servers.newValue ?? []];
  if (after.length >= before.length && after.length) tell("state_connected");
});

await begin();
document.documentElement.dataset.ready = "";
