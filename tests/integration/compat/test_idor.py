"""Every route of other programs' APIs × who asks × whose it is. A route without a line here fails.

Numbers are easily guessed, unlike UUIDs: what is not yours is 404, and equal to what does not exist.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from kept.api.access import api_routes, policy_of
from kept.asgi import create_app
from kept.config import Settings
from kept.domain.account import Scope
from kept.domain.synced import NumberKind
from kept.storage import sync
from support.builders.accounts import PASSWORD
from support.builders.articles import ingest
from support.fixtures.transactions import reading
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "other programs' APIs show nothing of others and never answer 500")

PREFIXES = ("/wallabag", "/linkding")
NOWHERE = "2000000000"
# With the status its owner gets, and what is sent.
TABLE: dict[str, tuple[int, dict[str, Any] | None]] = {
    "GET /wallabag/api/entries/{number:int}": (200, None),
    "PATCH /wallabag/api/entries/{number:int}": (200, {"title": "x"}),
    "DELETE /wallabag/api/entries/{number:int}": (200, None),
    "PATCH /wallabag/api/entries/{number:int}/reload": (200, None),
    "GET /wallabag/api/entries/{number:int}/tags": (200, None),
    "POST /wallabag/api/entries/{number:int}/tags": (200, {"tags": "x"}),
    "DELETE /wallabag/api/entries/{number:int}/tags/{tag:int}": (200, None),
    "DELETE /wallabag/api/tags/{number:int}": (200, None),
    "GET /wallabag/api/annotations/{number:int}": (200, None),
    "POST /wallabag/api/annotations/{number:int}": (200, {"quote": "Text", "text": ""}),
    "PUT /wallabag/api/annotations/{number:int}": (200, {"text": "x"}),
    "DELETE /wallabag/api/annotations/{number:int}": (200, None),
    "GET /wallabag/api/entries/{number:int}/export.{extension}": (200, None),
    "GET /linkding/api/bookmarks/{number:int}": (200, None),
    "PUT /linkding/api/bookmarks/{number:int}": (200, {"title": "x"}),
    "PATCH /linkding/api/bookmarks/{number:int}": (200, {"title": "x"}),
    "POST /linkding/api/bookmarks/{number:int}/archive": (204, None),
    "POST /linkding/api/bookmarks/{number:int}/unarchive": (204, None),
    "DELETE /linkding/api/bookmarks/{number:int}": (204, None),
    "GET /linkding/api/bookmarks/{number:int}/assets": (200, None),
    "GET /linkding/api/tags/{number:int}": (200, None),
}
# What names nothing in its path; each answers for the person who asks. With whether it wants a token.
WITHOUT_NUMBERS = {
    "GET /wallabag/api/entries": True,
    "GET /wallabag/api/entries/exists": True,
    "POST /wallabag/api/entries": True,
    "GET /wallabag/api/tags": True,
    "DELETE /wallabag/api/tags/label": True,
    "DELETE /wallabag/api/tag/label": True,
    "GET /wallabag/api/user": True,
    "GET /wallabag/api/search": True,
    "GET /linkding/api/bookmarks": True,
    "GET /linkding/api/bookmarks/archived": True,
    "GET /linkding/api/bookmarks/shared": True,
    "GET /linkding/api/bookmarks/check": True,
    "POST /linkding/api/bookmarks": True,
    "POST /linkding/api/bookmarks/singlefile": True,
    "GET /linkding/api": True,
    "GET /linkding/api/user/profile": True,
    "GET /linkding/api/tags": True,
    "POST /linkding/api/tags": True,
    "GET /linkding/api/bundles": True,
    "GET /wallabag/oauth/v2/token": False,
    "POST /wallabag/oauth/v2/token": False,
    "GET /wallabag/api/version": False,
    "GET /wallabag/api/info": False,
    "GET /wallabag": False,
    "GET /wallabag/login": False,
    "POST /wallabag/login_check": False,
    "GET /wallabag/logout": False,
    "GET /wallabag/developer": False,
    "GET /linkding/health": False,
    **{
        f"{method} {prefix}/{{path:path}}": False
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        for prefix in PREFIXES
    },
    **{f"{method} /linkding": False for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
}


def declared_routes() -> Iterator[tuple[str, str | None]]:
    for route in api_routes(create_app(Settings())):
        assert route.path is not None
        if route.path.startswith(PREFIXES):
            yield from ((f"{method} {route.path}", policy_of(route)) for method in sorted(route.methods or ()))


def test_every_route_has_its_line_and_asks_for_a_token_where_it_should() -> None:
    declared = dict(declared_routes())
    assert set(declared) == set(TABLE) | set(WITHOUT_NUMBERS)
    assert {route for route, policy in declared.items() if policy == "public"} == {
        route for route, wants_token in WITHOUT_NUMBERS.items() if not wants_token
    }
    for route, policy in declared.items():
        if policy != "public":
            assert policy == ("read by token" if route.startswith("GET ") else "write by token"), route


async def test_no_session_and_no_wrong_token_opens_a_route_and_a_read_only_one_changes_nothing(
    saving: RunningKept,
) -> None:
    reader = await saving.make_person("rita", scopes={Scope.READ})
    signed_in = await saving.nobody.post(
        "/api/v1/session", {"name": "rita", "password": PASSWORD}, Origin=reader.address
    )
    cookie = str(signed_in.headers["Set-Cookie"]).partition(";")[0]
    browser = Person(reader.address, headers={"Cookie": cookie, "Origin": reader.address})
    for route, policy in declared_routes():
        method, path = route.split(" ")
        url = fill(path, method, {"item": "1", "tag": "1", "highlight": "1"})
        if policy == "public":
            continue
        for stranger in (saving.nobody, browser, Person(reader.address, "kept_wrong"), Person(reader.address, "x")):
            assert (await stranger.call(method, url)).status == 401, route
        assert ((await reader.call(method, url)).status == 403) == (policy == "write by token"), route


@pytest.fixture
async def held(saving: RunningKept, ann: Person) -> dict[str, str]:
    """Numbers of what ann has, by the kind that a path asks for."""
    entry = (await ann.post("/wallabag/api/entries", {"url": "https://example.org/a", "tags": "t"})).json
    with reading(saving.kept.database) as tx:
        item_id = sync.find_subject(tx, NumberKind.ITEM, entry["id"])
    item = (await ann.get(f"/api/v1/items/{item_id}")).data
    ingest(saving.kept.database, item["media_id"], "<p>Text of the page.</p>")
    made = (await ann.post(f"/wallabag/api/annotations/{entry['id']}", {"quote": "page", "text": "n"})).json
    return {"item": str(entry["id"]), "tag": str(entry["tags"][0]["id"]), "highlight": str(made["id"])}


def fill(path: str, method: str, held: dict[str, str]) -> str:
    kind = "item"
    if "/tags/{number" in path:
        kind = "tag"
    elif "/annotations/" in path and method in {"PUT", "DELETE"}:
        kind = "highlight"
    filled = path.replace("{number:int}", held[kind]).replace("{tag:int}", held["tag"])
    return filled.replace("{extension}", "txt")


@pytest.mark.parametrize("route", sorted(TABLE))
async def test_what_is_somebody_elses_is_404_like_what_does_not_exist(
    saving: RunningKept, ann: Person, bob: Person, held: dict[str, str], route: str
) -> None:
    method, path = route.split(" ")
    status, body = TABLE[route]
    absent = await bob.call(method, fill(path, method, dict.fromkeys(held, NOWHERE)), body)
    refused = await bob.call(method, fill(path, method, held), body)
    assert (refused.status, refused.json) == (absent.status, absent.json) == (404, absent.json)
    assert (await saving.nobody.call(method, fill(path, method, held), body)).status == 401
    allowed = await ann.call(method, fill(path, method, held), body)
    assert allowed.status == status, allowed.body


async def test_lists_searches_and_checks_tell_nothing_of_others(
    saving: RunningKept, ann: Person, bob: Person, held: dict[str, str]
) -> None:
    assert (await bob.get("/wallabag/api/entries")).json["total"] == 0
    assert (await bob.get("/wallabag/api/search?term=page")).json["total"] == 0
    assert (await bob.get("/wallabag/api/tags")).json == []
    assert (await bob.get("/wallabag/api/entries/exists?url=https://example.org/a")).json == {"exists": False}
    assert (await bob.get("/linkding/api/bookmarks/?q=page")).json["count"] == 0
    assert (await bob.get("/linkding/api/bookmarks/check/?url=https://example.org/a")).json["bookmark"] is None
    assert (await bob.get("/linkding/api/tags/")).json["count"] == 0
    assert (await bob.delete("/wallabag/api/tags/label?tags=t")).status == 404
    assert (await ann.get("/wallabag/api/search?term=page")).json["total"] == 1
