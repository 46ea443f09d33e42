"""Connecting a browser extension: the page, the code, the token, and what that token may do."""

import asyncio
import base64
import hashlib
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from kept.clock import utc_now
from kept.domain.account import CODE_VALID_FOR, Scope, Viewer
from kept.domain.errors import InvalidRequest
from kept.services.accounts.tokens import allow_connection, connect_extension
from kept.storage.database.engine import Database
from support.builders.accounts import PASSWORD
from support.builders.articles import ingest
from support.builders.libraries import Owner
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "the browser extension; its token can only save")

VERIFIER = "verifier-of-the-extension-that-asked-to-connect"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
ASKED = {"challenge": CHALLENGE, "state": "its-state", "name": "Laptop"}
HTML = {"Accept": "text/html"}


async def agree(person: Person, **other: str) -> Answer:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return await person.send("/connect", urlencode(ASKED | other), **form, **HTML)


async def get_code(person: Person, **other: str) -> str:
    location = str((await agree(person, **other)).headers["Location"])
    return parse_qs(urlsplit(location).fragment)["code"][0]


async def exchange(person: Person, code: str, verifier: str = VERIFIER) -> Answer:
    return await Person(person.address).post("/api/v1/connect/token", {"code": code, "verifier": verifier})


@on_both_databases
async def test_who_agrees_gives_the_extension_a_token_of_their_own_that_can_save_and_no_more(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    made = await exchange(ann, await get_code(ann))
    assert (made.status, made.data["name"], made.data["scopes"]) == (201, "Laptop", ["save"])
    extension = Person(ann.address, made.data["token"])
    me = (await extension.get("/api/v1/me")).data
    assert (me["user"]["name"], me["scopes"]) == ("ann", ["save"])
    url = origin.page("/a", article("A page"))
    saved = await extension.post("/api/v1/items", {"url": url, "tags": ["sea"]})
    assert (saved.status, saved.data["title"]) == (201, "A page")
    item, media = (f"/api/v1/{kind}/{saved.data[key]}" for kind, key in (("items", "id"), ("media", "media_id")))
    ingest(saving.kept.database, saved.data["media_id"], "<p>The storm to come</p>")
    assert (await extension.get(f"/api/v1/lookup?{urlencode({'url': url})}")).data["id"] == saved.data["id"]
    assert (await extension.get("/api/v1/tags")).data == [{"name": "sea", "count": 1}]
    assert (await extension.patch(item, {"note": "x"})).data["note"] == "x"
    assert (await extension.post(f"{media}/highlights", {"exact": "The storm"})).status == 201
    assert [(await extension.get(path)).status for path in (item, "/api/v1/libraries")] == [200, 200]
    assert (await extension.delete(item)).status == 204
    for path in ("/api/v1/items", f"{media}/fragments", "/api/v1/search?q=a", "/api/v1/export", "/api/v1/tokens", "/"):
        assert (await extension.get(path)).status == 403, path
    assert (await extension.post("/api/v1/tokens", {"name": "x", "scopes": ["save"]})).status == 403


@on_both_databases
async def test_it_is_in_the_list_of_tokens_and_ends_when_it_is_revoked_there_or_given_back(
    saving: RunningKept, ann: Person
) -> None:
    first, second = [(await exchange(ann, await get_code(ann))).data for _ in range(2)]
    assert {token["name"] for token in (await ann.get("/api/v1/tokens")).data} >= {"Laptop"}
    assert b"Laptop" in (await ann.get("/tokens", **HTML)).body
    assert (await ann.delete(f"/api/v1/tokens/{first['id']}")).status == 204
    assert (await saving.nobody.post("/api/v1/connect/revoke", {"token": second["token"]})).status == 204
    for token in (first, second):
        assert (await Person(ann.address, token["token"]).get("/api/v1/me")).status == 401
    assert (await saving.nobody.post("/api/v1/connect/revoke", {"token": second["token"]})).status == 204


async def test_a_code_is_good_once_and_for_who_knows_the_verifier(ann: Person) -> None:
    code = await get_code(ann)
    assert (await exchange(ann, code)).status == 201
    assert (await exchange(ann, code)).status == 400
    stolen = await get_code(ann)
    assert (await exchange(ann, stolen, "v" * 43)).status == 400
    assert (await exchange(ann, stolen)).status == 400  # used up by the wrong one
    assert (await exchange(ann, "c" * 43)).status == 400
    assert [token["name"] for token in (await ann.get("/api/v1/tokens")).data].count("Laptop") == 1


async def test_a_code_is_good_for_five_minutes(saving: RunningKept, ann: Person) -> None:
    assert ann.user is not None
    viewer = Viewer(ann.user, frozenset(Scope))
    for age, status in ((CODE_VALID_FOR - timedelta(seconds=30), 201), (CODE_VALID_FOR, 400)):
        then = saving.kept.now() - age
        code = await saving.kept.write(allow_connection, viewer, challenge=CHALLENGE, name="x", now=then)
        assert (await exchange(ann, code)).status == status


async def test_of_two_who_bring_the_same_code_at_once_one_gets_a_token(database: Database, owner: Owner) -> None:
    now = utc_now()
    code = await database.write(allow_connection, owner.viewer, challenge=CHALLENGE, name="x", now=now)
    tries = [connect_extension(database, code=code, verifier=VERIFIER, now=now) for _ in range(5)]
    ends = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(end, tuple) for end in ends) == 1
    assert sum(isinstance(end, InvalidRequest) for end in ends) == 4


async def test_nothing_is_made_before_somebody_agrees_on_kepts_own_page(saving: RunningKept, ann: Person) -> None:
    asked = f"/connect?{urlencode(ASKED | {'name': '<b>Laptop</b>'})}"
    page = (await ann.get(asked, **HTML)).body.decode()
    assert "&lt;b&gt;Laptop&lt;/b&gt;" in page
    assert "<b>ann</b>" in page
    signed_out = await saving.nobody.get(asked, **HTML)
    assert signed_out.headers["Location"].startswith("/sign-in?next=%2Fconnect%3Fchallenge%3D")
    assert len((await ann.get("/api/v1/tokens")).data) == 1
    session = await saving.nobody.post("/api/v1/session", {"name": "ann", "password": PASSWORD}, Origin=saving.address)
    cookie = session.headers["Set-Cookie"].partition(";")[0]
    foreign = Person(ann.address, headers={"Cookie": cookie, "Origin": "https://evil.example"})
    assert (await agree(foreign)).status == 403


async def test_the_code_stands_in_the_fragment_of_a_url_of_kept(ann: Person) -> None:
    answer = await agree(ann)
    assert answer.status == 303
    assert re.fullmatch(r"/connect/done#code=[\w-]{43}&state=its-state", answer.headers["Location"])
    assert (await ann.get("/connect/done", **HTML)).status == 200
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "wrong",
    [{"challenge": "short"}, {"challenge": ""}, {"state": ""}, {"state": "a&b"}, {"state": "//evil.example"}],
    ids=str,
)
async def test_a_link_that_no_extension_made_is_refused(ann: Person, wrong: dict[str, str]) -> None:
    assert (await ann.get(f"/connect?{urlencode(ASKED | wrong)}", **HTML)).status == 400
    answer = await agree(ann, **wrong)
    assert answer.status == 400
    assert "Location" not in answer.headers


@pytest.mark.parametrize("name", ["", " ", "a\nb\x00", "x" * 201])
async def test_a_device_needs_a_name(ann: Person, name: str) -> None:
    answer = await agree(ann, name=name)
    assert answer.status == 400
    assert b'role="alert"' in answer.body


async def test_codes_cannot_be_guessed_for_long(saving: RunningKept, ann: Person) -> None:
    statuses = [(await exchange(ann, "c" * 43)).status for _ in range(11)]
    assert statuses == [400] * 10 + [429]
    assert [(await agree(ann)).status for _ in range(11)][-1] == 429
