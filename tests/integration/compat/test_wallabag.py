"""wallabag's API as its clients need it. Each trap that a client sets has a test that names it."""

import asyncio
import hashlib
import json
import re
import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import aiohttp
import pytest

from kept.clock import utc_now
from kept.domain.account import Scope, Viewer
from kept.domain.synced import NumberKind
from kept.services.items.removal import restore_items
from kept.storage import items, sync
from kept.storage.tables import app_tokens, removed_items, synced_items
from support.builders.articles import ingest
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "clients of wallabag and linkding work with Kept")

ARTICLE = "<p>One <b>two</b> three.</p><div><p>Four &amp; five 𝒳 six.</p><p>Seven.</p></div>"
ENTRY_TYPES: dict[str, tuple[type, ...]] = {
    "id": (int,),
    "title": (str,),
    "url": (str,),
    "given_url": (str,),
    "hashed_url": (str,),
    "hashed_given_url": (str,),
    "content": (str, type(None)),
    "created_at": (str,),
    "updated_at": (str,),
    "archived_at": (str, type(None)),
    "starred_at": (str, type(None)),
    "published_at": (str, type(None)),
    "published_by": (list, type(None)),
    "tags": (list,),
    "annotations": (list,),
    "reading_time": (int,),
    "user_id": (int,),
    "user_name": (str,),
    "_links": (dict,),
}


async def sign_in(saving: RunningKept, person: Person) -> Person:
    """The same person with an access token."""
    sent = {"grant_type": "password", "client_id": "x", "client_secret": "y", "username": "z"}
    answer = await saving.nobody.post("/wallabag/oauth/v2/token", {**sent, "password": person.token})
    assert answer.status == 200, answer.body
    return Person(person.address, answer.json["access_token"], person.user)


async def add(person: Person, url: str, **more: Any) -> dict[str, Any]:
    answer = await person.post("/wallabag/api/entries.json", {"url": url, **more})
    assert answer.status == 200, answer.body
    return answer.json  # type: ignore[no-any-return]


async def list_entries(person: Person, query: str = "") -> dict[str, Any]:
    answer = await person.get(f"/wallabag/api/entries.json?{query}")
    assert answer.status == 200, answer.body
    return answer.json  # type: ignore[no-any-return]


async def list_batches(saving: RunningKept, person: Person) -> list[UUID]:
    """What `restore_items` asks for, of everything that was removed."""
    with reading(saving.kept.database) as tx:
        return [row.batch_id for row in tx.execute(removed_items.select())]


def media_of(entry: dict[str, Any], person: Person, saving: RunningKept) -> Any:
    with reading(saving.kept.database) as tx:
        item_id = sync.find_subject(tx, NumberKind.ITEM, entry["id"])
        assert item_id is not None
        assert person.user is not None
        card = items.find_card(tx, item_id, person.user.id)
        assert card is not None
        return card.media.id


# --- signing in -------------------------------------------------------------------------------------------------


async def test_a_token_of_kept_is_the_password_in_json_in_a_form_and_in_the_query(
    saving: RunningKept, ann: Person
) -> None:
    sent = {"grant_type": "password", "client_id": "a", "client_secret": "b", "username": "any", "password": ann.token}
    answers = [
        await saving.nobody.post("/wallabag/oauth/v2/token", sent),
        await saving.nobody.send("/wallabag/oauth/v2/token/", sent),
        await saving.nobody.get(f"/wallabag/oauth/v2/token?{urlencode(sent)}"),
    ]
    for answer in answers:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "application/json"
        told = answer.json
        assert set(told) == {"access_token", "expires_in", "refresh_token", "scope", "token_type"}
        assert (told["expires_in"], told["scope"], told["token_type"]) == (3600, None, "bearer")
        person = Person(ann.address, told["access_token"])
        assert (await person.get("/wallabag/api/entries")).status == 200


async def test_wrong_credentials_are_400_and_a_missing_token_is_401_with_two_texts(saving: RunningKept) -> None:
    wrong = {"grant_type": "password", "username": "a", "password": "kept_wrong"}
    stale = {"grant_type": "refresh_token", "refresh_token": "wrong"}
    for sent in (wrong, stale, {"grant_type": "password"}):
        answer = await saving.nobody.post("/wallabag/oauth/v2/token", sent)
        assert answer.status == 400
        assert answer.json["error"] == "invalid_grant"
        assert answer.json["error_description"]
    for path in ("entries", "entries/1", "tags", "user"):
        answer = await saving.nobody.get(f"/wallabag/api/{path}")
        assert answer.status == 401
        assert answer.json["error"]
        assert answer.json["error_description"]


async def test_a_refresh_token_gives_new_tokens_and_all_end_with_the_api_token(
    saving: RunningKept, ann: Person
) -> None:
    sent = {"grant_type": "password", "username": "a", "password": ann.token}
    first = (await saving.nobody.post("/wallabag/oauth/v2/token", sent)).json
    refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    second = (await saving.nobody.send("/wallabag/oauth/v2/token", refresh)).json
    apps = [Person(ann.address, one["access_token"]) for one in (first, second)]
    assert [(await app.get("/wallabag/api/user")).status for app in apps] == [200, 200]
    for token in (await ann.get("/api/v1/tokens")).data:
        await ann.delete(f"/api/v1/tokens/{token['id']}")
    assert [(await app.get("/wallabag/api/user")).status for app in apps] == [401, 401]
    assert (await saving.nobody.send("/wallabag/oauth/v2/token", refresh)).status == 400


async def test_an_expired_access_token_is_401(saving: RunningKept, ann: Person) -> None:
    app = await sign_in(saving, ann)
    with writing(saving.kept.database) as tx:
        tx.execute(app_tokens.update().values(expires_at=utc_now()))
    assert (await app.get("/wallabag/api/entries")).status == 401


async def test_a_read_only_token_reads_and_changes_nothing(saving: RunningKept) -> None:
    reader = await sign_in(saving, await saving.make_person("rita", scopes={Scope.READ}))
    assert (await reader.get("/wallabag/api/entries")).status == 200
    assert (await reader.post("/wallabag/api/entries", {"url": "https://example.org/a"})).status == 403
    assert (await list_entries(reader))["total"] == 0


async def test_guessing_tokens_is_limited_and_a_good_client_may_sign_in_each_second(
    saving: RunningKept, ann: Person
) -> None:
    for _ in range(30):
        await sign_in(saving, ann)
    wrong = {"grant_type": "password", "username": "a", "password": "kept_wrong"}
    statuses = [(await saving.nobody.post("/wallabag/oauth/v2/token", wrong)).status for _ in range(12)]
    assert statuses[:5] == [400] * 5
    assert statuses[-1] == 429


async def test_guessing_tokens_from_many_addresses_of_one_network_is_limited(saving: RunningKept) -> None:
    wrong = {"grant_type": "password", "username": "a", "password": "kept_wrong"}
    headers = [{"X-Forwarded-For": f"2001:db8::{number:x}"} for number in range(12)]
    asked = [await saving.nobody.post("/wallabag/oauth/v2/token", wrong, **sent) for sent in headers]
    assert asked[-1].status == 429


# --- lists --------------------------------------------------------------------------------------------------------


async def test_every_path_is_answered_with_and_without_slash_and_json_and_never_by_a_redirect(
    saving: RunningKept, ann: Person
) -> None:
    entry = await add(ann, "https://example.org/a", tags="x")
    for path in ("entries", f"entries/{entry['id']}", "tags", f"entries/{entry['id']}/tags", "version", "user"):
        for form in ("", "/", ".json", ".json/"):
            answer = await ann.get(f"/wallabag/api/{path}{form}")
            assert answer.status == 200, (path, form)
            assert answer.headers["Content-Type"] == "application/json"
            assert answer.headers["Cache-Control"] == "no-store"
    for path in ("api/config", "api/nothing/", "nothing", "api/entries/abc"):
        assert (await ann.get(f"/wallabag/{path}")).status == 404
    for path in ("/wallabag", "/wallabag/"):
        assert (await saving.nobody.get(path)).status == 200


async def test_an_entry_has_every_field_in_the_type_that_clients_read(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a%20b?x=1", tags="News,b c", starred=1)
    for name, types in ENTRY_TYPES.items():
        assert type(entry[name]) in types, name
    # booleans break the Android and iOS apps
    assert (entry["is_archived"], entry["is_starred"]) == (0, 1)
    assert type(entry["is_archived"]) is int
    assert type(entry["is_starred"]) is int
    assert entry["is_public"] is False
    assert entry["title"] == "https://example.org/a%20b?x=1"  # KOReader and wallabag-client crash on null
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000", entry["created_at"])
    assert {tag["label"] for tag in entry["tags"]} == {"news", "b c"}
    assert {tag["slug"] for tag in entry["tags"]} == {"t:news", "t:b-c"}
    assert all(isinstance(tag["id"], int) for tag in entry["tags"])
    assert entry["hashed_url"] == hashlib.sha1(b"https://example.org/a b?x=1").hexdigest()


async def test_a_page_past_the_last_is_404_and_an_empty_list_has_one_page(saving: RunningKept, ann: Person) -> None:
    empty = await list_entries(ann)
    assert (empty["page"], empty["pages"], empty["total"], empty["_embedded"]["items"]) == (1, 1, 0, [])
    assert (await ann.get("/wallabag/api/entries?page=2")).status == 404
    for number in range(3):
        await add(ann, f"https://example.org/{number}")
    second = await list_entries(ann, "perPage=2&page=2&archive=0")
    assert (second["page"], second["pages"], second["total"], second["limit"]) == (2, 2, 3, 2)
    assert len(second["_embedded"]["items"]) == 1
    assert set(second["_links"]) == {"self", "first", "last"}
    first = await list_entries(ann, "perPage=2&archive=0")
    assert first["_links"]["next"]["href"].startswith(f"{ann.address}/wallabag/api/entries?archive=0&page=2")
    assert (await ann.get("/wallabag/api/entries?perPage=2&page=3")).status == 404


async def test_a_page_as_large_as_a_processor_can_count_is_clamped(saving: RunningKept, ann: Person) -> None:
    await add(ann, "https://example.org/a")
    full = await list_entries(ann, "perPage=9223372036854775807")
    metadata = await list_entries(ann, "perPage=9223372036854775807&detail=metadata")
    assert (full["limit"], metadata["limit"]) == (100, 10_000)
    assert "content" in metadata["_embedded"]["items"][0]  # wallabag-client wants the key


async def test_lists_are_filtered_and_sorted(saving: RunningKept, ann: Person) -> None:
    one = await add(ann, "https://one.example/a", tags="x,y")
    two = await add(ann, "https://two.example/b", tags="x", archive="1")
    three = await add(ann, "https://one.example/c", starred=True)

    async def ids(query: str) -> list[int]:
        return [entry["id"] for entry in (await list_entries(ann, query))["_embedded"]["items"]]

    assert await ids("") == [three["id"], two["id"], one["id"]]
    assert await ids("order=asc") == [one["id"], two["id"], three["id"]]
    assert await ids("archive=1") == [two["id"]]
    assert await ids("archive=0&order=asc") == [one["id"], three["id"]]
    assert await ids("starred=1") == [three["id"]]
    assert await ids("tags=x,y") == [one["id"]]
    assert await ids("tags=&order=asc") == [one["id"], two["id"], three["id"]]  # empty: none asked for
    assert await ids("domain_name=one.example&order=asc") == [one["id"], three["id"]]
    assert await ids("public=1") == []
    await ann.patch(f"/wallabag/api/entries/{one['id']}", {"starred": 1})
    assert (await ids("sort=updated"))[0] == one["id"]
    assert await ids("sort=archived&archive=1") == [two["id"]]


async def test_since_is_exclusive_and_every_change_of_an_entry_bumps_it(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a")
    path = f"/wallabag/api/entries/{entry['id']}"
    media_id = media_of(entry, ann, saving)

    async def highlight() -> Answer:
        return await ann.post(
            f"/wallabag/api/annotations/{entry['id']}", {"quote": "Seven.", "text": "n", "ranges": []}
        )

    async def finish() -> Answer:
        ingest(saving.kept.database, media_id, ARTICLE)
        return await ann.get(path)

    async def read_on() -> Answer:
        [item] = (await ann.get("/api/v1/items")).json["data"]
        return await ann.patch(f"/api/v1/items/{item['id']}", {"progress": 0.4})

    changes = {
        "article": finish,
        "star": lambda: ann.patch(path, {"starred": 1}),
        "archive": lambda: ann.patch(path, {"archive": 1}),
        "tag": lambda: ann.post(f"{path}/tags", {"tags": "x"}),
        "title": lambda: ann.patch(path, {"title": "T"}),
        "annotation": highlight,
        "progress": read_on,
    }
    for name, change in changes.items():
        long_ago = 946_684_800
        with writing(saving.kept.database) as tx:
            tx.execute(synced_items.update().values(changed_at=datetime.fromtimestamp(long_ago, UTC)))
        assert (await list_entries(ann, f"since={long_ago}"))["total"] == 0, name  # exclusive
        assert (await list_entries(ann, f"since={long_ago - 1}"))["total"] == 1
        assert (await change()).status == 200, name
        assert (await list_entries(ann, f"since={int(time.time()) - 60}"))["total"] == 1, name
    assert (await list_entries(ann, f"since={int(time.time()) + 60}"))["total"] == 0


# --- entries ----------------------------------------------------------------------------------------------------


async def test_saving_again_answers_200_with_the_same_entry(saving: RunningKept, ann: Person, origin: Origin) -> None:
    url = origin.page("/a", "<title>A</title><p>x")
    first = await add(ann, url)
    second = await add(ann, url, tags="later")
    assert first["id"] == second["id"]
    assert [tag["label"] for tag in second["tags"]] == ["later"]


async def test_a_save_answers_before_the_page_is_fetched(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """KOReader waits 10 s for the first byte, Miniflux 10 s in all."""
    url = origin.page("/slow", "<title>A</title>", seconds=30)
    started = time.monotonic()
    await asyncio.wait_for(add(ann, url), 5)
    assert time.monotonic() - started < 5


async def test_content_that_comes_along_is_kept_and_nothing_is_fetched(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, worker: Any
) -> None:
    url = origin.page("/a", "<title>Site</title><p>the site's own text")
    content = "<p>" + "What I saw behind the login, word for word. " * 20 + "</p>"
    entry = await add(ann, url, title="Mine", content=content, tags="seen", archive=1)
    assert (entry["title"], entry["is_archived"], [tag["label"] for tag in entry["tags"]]) == ("Mine", 1, ["seen"])
    await worker.work_off()
    read = (await ann.get(f"/wallabag/api/entries/{entry['id']}")).json
    assert "behind the login" in read["content"]
    assert origin.requests["/a"] == 0
    other = await add(bob, url)
    assert other["content"] is None  # nobody else is led to it


async def test_patch_replaces_tags_unless_they_are_empty_and_knows_every_kind_of_flag(
    saving: RunningKept, ann: Person
) -> None:
    entry = await add(ann, "https://example.org/a", tags="a,b")
    path = f"/wallabag/api/entries/{entry['id']}.json"
    changed = (await ann.patch(path, {"tags": "c"})).json
    assert [tag["label"] for tag in changed["tags"]] == ["c"]
    unchanged = (await ann.patch(path, {"tags": "", "title": "T"})).json
    assert ([tag["label"] for tag in unchanged["tags"]], unchanged["title"]) == (["c"], "T")
    for sent, expected in ((1, 1), (0, 0), ("1", 1), ("0", 0), (True, 1), (False, 0)):
        assert (await ann.patch(path, {"archive": sent, "starred": sent})).json["is_archived"] == expected
    form = await ann.call("PATCH", path, data={"archive": "1"})
    assert (form.status, form.json["is_archived"], form.json["is_starred"]) == (200, 1, 0)


async def test_an_empty_body_of_json_is_an_empty_request(saving: RunningKept, ann: Person) -> None:
    """The iOS app sends it with DELETE and reload."""
    entry = await add(ann, "https://example.org/a")
    answer = await ann.call(
        "PATCH", f"/wallabag/api/entries/{entry['id']}", data=b"", **{"Content-Type": "application/json"}
    )
    assert answer.status == 200


async def test_delete_answers_200_with_an_object_and_then_404(saving: RunningKept, ann: Person) -> None:
    first, second = await add(ann, "https://example.org/a"), await add(ann, "https://example.org/b")
    answer = await ann.delete(f"/wallabag/api/entries/{first['id']}.json?expect=id")
    assert (answer.status, answer.json) == (200, {"id": first["id"]})
    answer = await ann.delete(f"/wallabag/api/entries/{second['id']}")
    assert (answer.status, answer.json["url"]) == (200, "https://example.org/b")
    assert answer.body.startswith(b"{")  # KOReader
    assert (await ann.delete(f"/wallabag/api/entries/{second['id']}")).status == 404


async def test_a_removed_entry_that_comes_back_has_its_number(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a")
    await ann.delete(f"/wallabag/api/entries/{entry['id']}")
    later = await add(ann, "https://example.org/b")
    assert later["id"] > entry["id"]
    [batch] = await list_batches(saving, ann)
    assert ann.user is not None
    viewer = Viewer(ann.user, frozenset(Scope))
    await saving.kept.write(restore_items, viewer, batch, now=utc_now())
    assert (await ann.get(f"/wallabag/api/entries/{entry['id']}")).json["url"] == "https://example.org/a"
    assert (await list_entries(ann))["total"] == 2


async def test_reload_of_a_page_that_is_being_fetched_is_304(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a")
    assert (await ann.call("PATCH", f"/wallabag/api/entries/{entry['id']}/reload.json")).status == 304
    ingest(saving.kept.database, media_of(entry, ann, saving), ARTICLE)
    answer = await ann.call("PATCH", f"/wallabag/api/entries/{entry['id']}/reload.json")
    assert (answer.status, answer.json["id"]) == (200, entry["id"])


async def test_an_entry_is_exported_as_a_file_with_its_name_in_quotes(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a", title="A title")
    path = f"/wallabag/api/entries/{entry['id']}/export"
    assert (await ann.get(f"{path}.epub")).status == 404  # no article yet
    ingest(saving.kept.database, media_of(entry, ann, saving), ARTICLE)
    kinds = {
        "epub": "application/epub+zip",
        "txt": "text/plain",
        "md": "text/markdown",
        "json": "application/json",
        "csv": "application/csv",
        "xml": "application/xml",
    }
    for extension, kind in kinds.items():
        answer = await ann.get(f"{path}.{extension}")
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind), extension
        assert re.fullmatch(rf'attachment; filename="[^"]+\.{extension}"', answer.headers["Content-Disposition"])
        assert b"Four" in answer.body or extension == "epub"
    assert (await ann.get(f"{path}.epub")).body.startswith(b"PK")
    assert (await ann.get(f"{path}.pdf")).status == 404


# --- what is saved ------------------------------------------------------------------------------------------------


async def test_exists_knows_urls_and_hashes_raw_and_decoded_and_keys_them_as_asked(
    saving: RunningKept, ann: Person, bob: Person
) -> None:
    url = "https://example.org/a%20b?x=%C3%A9"
    entry = await add(ann, url)
    raw, decoded = (hashlib.sha1(text.encode()).hexdigest() for text in (url, "https://example.org/a b?x=é"))
    base = "/wallabag/api/entries/exists.json"
    assert (await ann.get(f"{base}?url={quote(url, safe='')}")).json == {"exists": True}
    assert (await ann.get(f"{base}?url={quote(url, safe='')}&return_id=1")).json == {"exists": entry["id"]}
    for one in (raw, decoded, raw.upper()):
        assert (await ann.get(f"{base}?hashed_url={one}")).json == {"exists": True}
    many = urlencode([("hashed_urls[]", raw), ("hashed_urls[]", "0" * 40), ("return_id", "1")])
    assert (await ann.get(f"{base}?{many}")).json == {raw: entry["id"], "0" * 40: None}
    urls = urlencode([("urls[]", url), ("urls[]", "https://example.org/other")])
    assert (await ann.get(f"{base}?{urls}")).json == {url: True, "https://example.org/other": False}
    assert (await bob.get(f"{base}?hashed_url={raw}")).json == {"exists": False}
    await ann.delete(f"/wallabag/api/entries/{entry['id']}")
    assert (await ann.get(f"{base}?hashed_url={raw}&return_id=1")).json == {"exists": None}


@pytest.mark.parametrize("spelling", ["example.org/a", " https://example.org/a ", "https://ann:secret@example.org/a"])
async def test_exists_knows_a_url_by_whatever_a_save_would_accept(
    saving: RunningKept, ann: Person, spelling: str
) -> None:
    entry = await add(ann, "https://example.org/a")
    for asked in ("url", "urls[]"):
        answer = await ann.get(f"/wallabag/api/entries/exists?{urlencode({asked: spelling, 'return_id': 1})}")
        assert list(answer.json.values()) == [entry["id"]]


async def test_the_android_apps_probe_is_200_and_false(saving: RunningKept, ann: Person) -> None:
    answer = await ann.get("/wallabag/api/entries/exists.json?url=wallabag-apiwrapper-test.example.com")
    assert (answer.status, answer.json) == (200, {"exists": False})


async def test_a_bad_request_is_not_400_for_the_android_app_takes_that_for_bad_credentials(
    saving: RunningKept, ann: Person
) -> None:
    for body in ({}, {"url": ""}, {"url": "http://"}, {"url": "x" * 10_000}):
        assert (await ann.post("/wallabag/api/entries", body)).status == 422
    answer = await ann.call("POST", "/wallabag/api/entries", data=b"{", **{"Content-Type": "application/json"})
    assert answer.status == 422
    assert answer.json["error"]


async def test_the_version_is_three_numbers_of_one_digit_each_before_the_last(saving: RunningKept) -> None:
    answer = await saving.nobody.get("/wallabag/api/version")
    assert answer.json == "2.6.13"
    assert answer.json > "2.4"  # as text, as the Android app compares
    info = (await saving.nobody.get("/wallabag/api/info")).json
    assert info == {"appname": "wallabag", "version": "2.6.13", "allowed_registration": False}


# --- tags ---------------------------------------------------------------------------------------------------------


async def test_tags_are_listed_counted_and_removed_from_one_entry_or_all(saving: RunningKept, ann: Person) -> None:
    one, two = await add(ann, "https://example.org/a", tags="x,y"), await add(ann, "https://example.org/b", tags="x")
    tags = (await ann.get("/wallabag/api/tags.json")).json
    assert [(tag["label"], tag["nbEntries"]) for tag in tags] == [("x", 2), ("y", 1)]
    number = {tag["label"]: tag["id"] for tag in tags}
    own = (await ann.get(f"/wallabag/api/entries/{one['id']}/tags")).json
    assert own == [{key: tag[key] for key in ("id", "label", "slug")} for tag in tags]
    left = await ann.delete(f"/wallabag/api/entries/{one['id']}/tags/{number['y']}.json")
    assert (left.status, [tag["label"] for tag in left.json["tags"]]) == (200, ["x"])
    assert (await ann.delete(f"/wallabag/api/entries/{one['id']}/tags/{number['y']}")).status == 404
    gone = await ann.delete(f"/wallabag/api/tags/{number['x']}.json")
    assert (gone.status, gone.json["label"]) == (200, "x")
    assert (await ann.get(f"/wallabag/api/entries/{two['id']}")).json["tags"] == []
    await ann.post(f"/wallabag/api/entries/{two['id']}/tags", {"tags": "p,q"})
    gone = await ann.delete("/wallabag/api/tags/label.json?tags=p,q")
    assert (gone.status, [tag["label"] for tag in gone.json]) == (200, ["p", "q"])
    again = (await ann.post(f"/wallabag/api/entries/{two['id']}/tags", {"tags": "x"})).json
    assert again["tags"][0]["id"] == number["x"]  # a tag that comes back has its number


# --- annotations --------------------------------------------------------------------------------------------------


async def test_annotations_are_highlights_both_ways(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a")
    media_id = media_of(entry, ann, saving)
    ingest(saving.kept.database, media_id, ARTICLE)
    ranges = [{"start": "/p[1]", "startOffset": "4", "end": "/div[1]/p[1]", "endOffset": 4}]
    sent = {"text": "my note", "quote": "two three.Four", "ranges": ranges}
    answer = await ann.post(f"/wallabag/api/annotations/{entry['id']}.json", sent)
    assert answer.status == 200, answer.body
    made = answer.json
    assert (made["text"], made["user"], made["annotator_schema_version"]) == ("my note", "ann", "v1.0")
    assert made["ranges"] == [{"start": "/p[1]/b[1]", "startOffset": 0, "end": "/div[1]/p[1]", "endOffset": 4}]
    own = (await ann.get(f"/api/v1/media/{media_id}/highlights")).data
    assert [(one["quote"]["exact"] if "quote" in one else one["exact"], one["note"]) for one in own] == [
        ("two three.\n\nFour", "my note")
    ]
    changed = await ann.call("PUT", f"/wallabag/api/annotations/{made['id']}.json", {"text": "other"})
    assert (changed.status, changed.json["text"]) == (200, "other")
    listed = (await ann.get(f"/wallabag/api/entries/{entry['id']}")).json["annotations"]
    assert listed == [{**changed.json}]
    rows = (await ann.get(f"/wallabag/api/annotations/{entry['id']}")).json
    assert rows == {"total": 1, "rows": listed}
    gone = await ann.delete(f"/wallabag/api/annotations/{made['id']}.json")
    assert (gone.status, gone.json["id"]) == (200, made["id"])
    assert (await ann.get(f"/wallabag/api/annotations/{entry['id']}")).json == {"total": 0, "rows": []}


async def test_offsets_count_as_javascript_does(saving: RunningKept, ann: Person) -> None:
    entry = await add(ann, "https://example.org/a")
    ingest(saving.kept.database, media_of(entry, ann, saving), ARTICLE)
    ranges = [{"start": "/div/p[1]", "startOffset": 15, "end": "/div/p[1]", "endOffset": 18}]
    made = (await ann.post(f"/wallabag/api/annotations/{entry['id']}", {"text": "", "ranges": ranges})).json
    assert made["quote"] == "six"
    assert made["ranges"] == [{"start": "/div[1]/p[1]", "startOffset": 15, "end": "/div[1]/p[1]", "endOffset": 18}]


# --- setting up the Android app -------------------------------------------------------------------------------------


async def test_the_android_app_finds_its_client_by_the_pages_it_reads(saving: RunningKept, ann: Person) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:

        async def read(method: str, path: str, **sent: str) -> str:
            async with session.request(
                method, f"{ann.address}/wallabag{path}", data=sent or None, allow_redirects=False
            ) as response:
                assert response.status == 200
                assert response.content_type == "text/html"
                return await response.text()

        login = await read("GET", "/")
        assert '/login_check" method="post" name="loginform">' in login
        assert 'alt="wallabag logo" />' in login
        mark = re.search(r'<input type="hidden" name="_csrf_token" value="([^"]+)" />', login)
        assert mark
        wrong = await read("POST", "/login_check", _username="a", _password="wrong", _csrf_token=mark[1])
        assert "loginform" in wrong
        assert '/logout">' not in wrong
        assert ann.token
        await read("POST", "/login_check", _username="a", _password=ann.token, _csrf_token=mark[1])
        home = await read("GET", "/")
        assert '/logout">' in home
        assert 'alt="wallabag logo" />' in home
        developer = await read("GET", "/developer")
        assert '<div class="collapsible-header">Android app - #1</div>' in developer
        assert len(re.findall(r"<strong><code>(.*?)</code></strong>", developer)) == 4
        assert "/developer/client/delete/" in developer
        assert "loginform" in await read("GET", "/logout")
        assert "loginform" in await read("GET", "/developer")


async def test_content_names_images_where_they_came_from(saving: RunningKept, ann: Person) -> None:
    """Apps load them without a token."""
    entry = await add(ann, "https://example.org/a")
    html = '<p>Text.</p><img src="https://example.org/i.png" alt="x">'
    ingest(saving.kept.database, media_of(entry, ann, saving), html)
    content = (await ann.get(f"/wallabag/api/entries/{entry['id']}")).json["content"]
    assert 'src="https://example.org/i.png"' in content
    assert "/api/images" not in content


@on_both_databases
async def test_a_second_database_lists_and_numbers_the_same(saving: RunningKept, ann: Person) -> None:
    one = await add(ann, "https://example.org/a", tags="x", starred=1)
    two = await add(ann, "https://example.org/b", archive=1)
    assert two["id"] > one["id"]
    assert [entry["id"] for entry in (await list_entries(ann, "archive=1"))["_embedded"]["items"]] == [two["id"]]
    assert [entry["id"] for entry in (await list_entries(ann, "tags=x"))["_embedded"]["items"]] == [one["id"]]
    assert (await list_entries(ann, "domain_name=example.org"))["total"] == 2
    hashed = hashlib.sha1(b"https://example.org/a").hexdigest()
    assert (await ann.get(f"/wallabag/api/entries/exists?hashed_url={hashed}&return_id=1")).json == {
        "exists": one["id"]
    }
    ingest(saving.kept.database, media_of(one, ann, saving), ARTICLE)
    made = await ann.post(f"/wallabag/api/annotations/{one['id']}", {"quote": "Seven.", "text": ""})
    assert made.status == 200
    assert json.dumps((await ann.get(f"/wallabag/api/entries/{one['id']}")).json["annotations"]) != "[]"
