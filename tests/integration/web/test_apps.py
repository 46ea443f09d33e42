"""The page *Apps*, and the pages on which a person lets an app in."""

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import pytest

from kept.clock import utc_now
from kept.domain.oauth import is_redirect_uri, parse_user_code
from kept.storage.tables import oauth_grants
from kept.web.apps import APPS
from support.builders.accounts import PASSWORD
from support.fixtures.transactions import writing
from support.servers.readeck import API, call
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "Readeck's clients, OPDS and MCP")

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
CLIENT = {
    "client_name": "KOReader <b>on</b> a Kobo",
    "client_uri": "https://koreader.example",
    "software_id": "koreader",
    "software_version": "1",
    "redirect_uris": ["readeckapp://oauth", "http://127.0.0.1/back"],
    "grant_types": [DEVICE],
}


@pytest.fixture
async def signed_in(running: RunningKept) -> Person:
    """Somebody at a browser."""
    user = running.make_user("ann")
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{running.address}/api/v1/session",
            json={"name": "ann", "password": PASSWORD},
            headers={"Origin": running.address},
        ) as response,
    ):
        [cookie] = [morsel for morsel in response.cookies.values() if "session" in morsel.key]
    headers = {"Cookie": f"{cookie.key}={cookie.value}", "Origin": running.address, "Accept": "text/html"}
    return Person(running.address, None, user, headers)


async def send(person: Person, path: str, **fields: str) -> Answer:
    return await person.send(path, urlencode(fields), **{"Content-Type": "application/x-www-form-urlencoded"})


async def register(running: RunningKept) -> str:
    answer = await call(running.nobody, "POST", "/oauth/client", CLIENT)
    assert answer.status == 201
    assert {name: answer.json[name] for name in CLIENT} == CLIENT  # an echo of all
    return str(answer.json["client_id"])


async def ask_for_device(running: RunningKept, client_id: str, scope: str = "bookmarks:read bookmarks:write") -> Any:
    answer = await send(running.nobody, f"{API}/oauth/device", client_id=client_id, scope=scope)
    assert answer.status == 200, answer.body
    return answer.json


async def poll(running: RunningKept, client_id: str, device_code: str) -> Answer:
    fields = {"grant_type": DEVICE, "client_id": client_id, "device_code": device_code}
    return await send(running.nobody, f"{API}/oauth/token", **fields)


def forget_polls(running: RunningKept, **values: Any) -> None:
    """As if the device had waited."""
    with writing(running.kept.database) as tx:
        tx.execute(oauth_grants.update().values(polled_at=None, **values))


async def test_every_app_has_its_address_its_code_and_a_token_of_its_own(
    running: RunningKept, signed_in: Person
) -> None:
    page = await signed_in.get("/apps")
    assert page.status == 200
    for app in APPS.values():
        assert f'value="{running.address}{app.path}"'.encode() in page.body
    assert page.body.count(b"<svg viewBox") >= len(APPS)
    made = await send(signed_in, "/apps/koreader-opds")
    [secret] = re.findall(r'value="(kept_[^"]+)"', made.body.decode())
    assert made.headers["Cache-Control"] == "no-store"
    reader = Person(running.address, secret)
    assert (await reader.get("/opds")).status == 200
    assert (await reader.post("/api/v1/items", {"url": "https://example.org/"})).status == 403  # it may only read
    assert b"KOReader, OPDS catalogue" in (await signed_in.get("/tokens")).body
    assert (await send(signed_in, "/apps/nothing")).status == 404
    assert b'href="/apps"' in (await signed_in.get("/")).body


async def test_a_device_is_let_in_by_its_code_and_once(running: RunningKept, signed_in: Person) -> None:
    client_id = await register(running)
    asked = await ask_for_device(running, client_id)
    assert (asked["expires_in"], asked["interval"]) == (300, 5)
    assert (await poll(running, client_id, asked["device_code"])).json["error"] == "authorization_pending"
    early = await poll(running, client_id, asked["device_code"])
    assert (early.status, early.json["error"]) == (400, "slow_down")
    page = await signed_in.get(urlsplit(asked["verification_uri_complete"]).path + f"?code={asked['user_code']}")
    assert b"KOReader &lt;b&gt;on&lt;/b&gt; a Kobo" in page.body
    assert b"Save, change and remove" in page.body
    typed = await send(signed_in, "/device", code=asked["user_code"].lower().replace("-", " "))
    assert asked["user_code"].encode() in typed.body  # shown again, and asked
    assert (await send(signed_in, "/device", code=asked["user_code"], decision="allow")).status == 303
    forget_polls(running)
    given = await poll(running, client_id, asked["device_code"])
    assert (given.status, given.json["token_type"]) == (201, "Bearer")
    assert given.json["scope"] == "bookmarks:read bookmarks:write"
    device = Person(running.address, given.json["access_token"])
    assert (await call(device, "GET", "/profile")).json["user"]["username"] == "ann"
    again = await poll(running, client_id, asked["device_code"])
    assert (again.status, again.json["error"]) == (400, "invalid_grant")
    assert b"KOReader &lt;b&gt;on" in (await signed_in.get("/tokens")).body
    assert (await call(device, "POST", "/oauth/revoke", {"token": device.token})).status == 200
    assert (await call(device, "GET", "/profile")).status == 401


async def test_a_device_that_is_denied_too_late_or_somebody_elses_gets_nothing(
    running: RunningKept, signed_in: Person
) -> None:
    client_id, other_id = await register(running), await register(running)
    asked = await ask_for_device(running, client_id, "bookmarks:read")
    await send(signed_in, "/device", code=asked["user_code"], decision="deny")
    assert (await poll(running, client_id, asked["device_code"])).json["error"] == "access_denied"
    asked = await ask_for_device(running, client_id, "bookmarks:read")
    assert b"Save, change and remove" not in (await signed_in.get(f"/device?code={asked['user_code']}")).body
    assert (await poll(running, other_id, asked["device_code"])).json["error"] == "invalid_grant"
    forget_polls(running, expires_at=utc_now() - timedelta(seconds=1))
    assert (await poll(running, client_id, asked["device_code"])).json["error"] == "expired_token"
    late = await send(signed_in, "/device", code=asked["user_code"], decision="allow")
    assert (late.status, b"too old" in late.body) == (400, True)
    unknown = await send(running.nobody, f"{API}/oauth/device", client_id=other_id.replace("0", "1"), scope="x")
    assert unknown.json["error"] in {"invalid_client"}
    assert (await send(running.nobody, f"{API}/oauth/token", grant_type="password")).json["error"] == (
        "unsupported_grant_type"
    )


async def test_another_site_cannot_let_an_app_in(running: RunningKept, signed_in: Person) -> None:
    client_id = await register(running)
    asked = await ask_for_device(running, client_id)
    elsewhere = Person(running.address, None, None, signed_in.headers | {"Origin": "https://evil.example"})
    assert (await send(elsewhere, "/device", code=asked["user_code"], decision="allow")).status == 403
    assert (await poll(running, client_id, asked["device_code"])).json["error"] == "authorization_pending"


async def test_an_app_is_let_in_by_a_page_and_its_own_secret(running: RunningKept, signed_in: Person) -> None:
    client_id, verifier = await register(running), secrets.token_urlsafe(48)
    challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = {
        "client_id": client_id,
        "redirect_uri": "readeckapp://oauth",
        "response_type": "code",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "scope": "bookmarks:read bookmarks:write profile:read",
        "state": "a&b",
    }
    page = await signed_in.get(f"/readeck/authorize?{urlencode(asked)}")
    assert page.status == 200
    assert "form-action 'self' readeckapp:;" in page.headers["Content-Security-Policy"]
    denied = await send(signed_in, "/readeck/authorize", **asked, decision="deny")
    assert parse_qs(urlsplit(denied.headers["Location"]).query) == {"error": ["access_denied"], "state": ["a&b"]}
    allowed = await send(signed_in, "/readeck/authorize", **asked, decision="allow")
    assert (allowed.status, allowed.headers["Location"][:19]) == (303, "readeckapp://oauth?")
    [code] = parse_qs(urlsplit(allowed.headers["Location"]).query)["code"]
    redeem = {"grant_type": "authorization_code", "client_id": client_id, "code": code}
    wrong = await call(running.nobody, "POST", "/oauth/token", {**redeem, "code_verifier": "x" * 50})
    assert wrong.json["error"] == "invalid_grant"
    as_device = await poll(running, client_id, code)
    assert as_device.json["error"] == "invalid_grant"
    given = await call(running.nobody, "POST", "/oauth/token", {**redeem, "code_verifier": verifier})
    assert given.status == 201
    assert (await call(Person(running.address, given.json["access_token"]), "GET", "/bookmarks")).status == 200
    used = await call(running.nobody, "POST", "/oauth/token", {**redeem, "code_verifier": verifier})
    assert used.json["error"] == "invalid_grant"
    port = asked | {"redirect_uri": "http://127.0.0.1:45123/back"}
    assert (await signed_in.get(f"/readeck/authorize?{urlencode(port)}")).status == 200
    for change in (
        {"redirect_uri": "https://evil.example/"},
        {"code_challenge_method": "plain"},
        {"code_challenge": "x"},
        {"client_id": "x"},
    ):
        refused = await send(signed_in, "/readeck/authorize", **asked | change, decision="allow")
        assert (refused.status, "Location" in refused.headers) == (400, False)


async def test_who_is_not_signed_in_is_asked_to_be(running: RunningKept) -> None:
    running.make_user("ann")
    browser = Person(running.address, None, None, {"Accept": "text/html"})
    for path in ("/device?code=BCDF-GHJK", "/apps"):
        answer = await browser.get(path)
        assert (answer.status, answer.headers["Location"][:9]) == (303, "/sign-in?")


@pytest.mark.parametrize(
    ("uri", "is_good"),
    [
        ("https://app.example/back", True),
        ("readeck-ios://x", True),
        ("com.example.app:/oauth", True),
        ("http://localhost:3000/", True),
        ("http://app.example/", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https:///x", False),
        ("https://a.example/#x", False),
        ("//a.example", False),
        ("https://[", False),
        ("x" * 600, False),
        ("app://x y", False),
    ],
)
def test_where_an_app_may_be_sent_back_to(uri: str, is_good: bool) -> None:
    assert is_redirect_uri(uri) is is_good


def test_a_code_is_read_however_it_is_typed() -> None:
    assert parse_user_code(" bcdf-ghjk ") == parse_user_code("BCDF GHJK") == "BCDFGHJK"
