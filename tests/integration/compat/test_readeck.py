"""Readeck's API as its clients use it; each trap they set has a test that names it."""

import asyncio
import io
import json
import re
import zipfile
from email import message_from_bytes
from typing import Any
from urllib.parse import quote
from uuid import UUID

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy import select

from kept.clock import utc_now
from kept.compat.readeck.bookmarks_out import find_id, write_id
from kept.domain.account import Scope
from kept.services.maintenance.cleaning import tidy_up
from kept.storage.tables import item_tombstones, items, media
from support.builders.articles import BODY, ingest
from support.builders.pictures import picture
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import writing
from support.servers.origin import Origin
from support.servers.readeck import API, ARTICLE, call, keep, list_ids
from support.servers.serving import Answer, Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "Readeck's clients, OPDS and MCP")

NOWHERE = "0" * 22
STRINGS = [
    "id",
    "href",
    "url",
    "title",
    "site",
    "site_name",
    "description",
    "lang",
    "text_direction",
    "document_type",
    "created",
    "updated",
    "type",
]
FLAGS = ["loaded", "has_article", "is_deleted", "is_marked", "is_archived"]


async def test_a_bookmark_has_every_field_that_strict_clients_expect_and_none_is_null(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    """ReadeckApp and readeck-ios decode strictly; the Python client breaks on null lists and counts."""
    page = '<meta property="og:image" content="/i.png"><link rel="icon" href="/f.ico"><title>T</title>'
    item = await ann.save(origin.page("/a", page), tags=["News"])
    waiting = (await call(ann, "GET", "/bookmarks")).json[0]
    assert (waiting["state"], waiting["loaded"], waiting["has_article"]) == (2, False, False)
    assert not {"word_count", "reading_time", "published"} & waiting.keys()
    ingest(saving.kept.database, item["media_id"], ARTICLE)
    listed = await call(ann, "GET", "/bookmarks")
    [bookmark] = listed.json
    assert listed.headers["Content-Type"].startswith("application/json")
    assert all(isinstance(bookmark[name], str) for name in STRINGS)
    assert all(isinstance(bookmark[name], bool) for name in FLAGS)
    assert all(value is not None for value in bookmark.values())
    assert (bookmark["labels"], bookmark["authors"], bookmark["type"], bookmark["state"]) == (
        ["news"],
        [],
        "article",
        0,
    )
    assert all(type(bookmark[name]) is int for name in ("read_progress", "word_count", "reading_time"))
    assert re.fullmatch("[A-Za-z0-9]{18,22}", bookmark["id"])
    assert bookmark["href"] == f"{ann.address}{API}/bookmarks/{bookmark['id']}"
    for name in ("icon", "image", "thumbnail"):
        resource = bookmark["resources"][name]
        assert (type(resource["width"]), type(resource["height"])) == (int, int)
    assert {"article", "log", "props"} <= bookmark["resources"].keys()
    one = (await call(ann, "GET", f"/bookmarks/{bookmark['id']}")).json
    assert one == bookmark | {"links": []}


async def test_lists_tell_their_totals_in_headers_and_are_paged_by_offset(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    """ReadeckApp fails without the Total headers."""
    kept = [
        await keep(saving, ann, origin, f"/{number}", tags=["even"] if number % 2 == 0 else []) for number in range(5)
    ]
    answer = await call(ann, "GET", "/bookmarks?limit=2&offset=2&sort=created")
    assert [bookmark["id"] for bookmark in answer.json] == kept[2:4]
    assert [answer.headers[name] for name in ("Total-Count", "Total-Pages", "Current-Page")] == ["5", "3", "2"]
    assert f'<{ann.address}{API}/bookmarks?sort=created&limit=2&offset=4>; rel="next"' in answer.headers["Link"]
    assert await list_ids(ann) == kept[::-1]
    assert await list_ids(ann, "?sort=-created&sort=title") == kept[::-1]
    assert await list_ids(ann, '?labels="even"&sort=created') == kept[::2]
    assert await list_ids(ann, f"?id={kept[1]}&id={kept[3]}&id={NOWHERE}&id=x") == [kept[3], kept[1]]
    assert await list_ids(ann, "?type=video") == []
    assert set(await list_ids(ann, "?search=harbour&type=article&type=photo")) == set(kept)
    assert await list_ids(ann, "?title=Page /3") == [kept[3]]
    assert await list_ids(ann, "?limit=99999999999999999999&offset=0") == kept[::-1]
    empty = await call(ann, "GET", "/bookmarks?is_marked=1")
    assert (empty.json, empty.headers["Total-Count"], empty.headers["Total-Pages"]) == ([], "0", "1")
    for sort in ("title", "site", "domain", "duration", "published"):
        assert set(await list_ids(ann, f"?sort=-{sort}")) == set(kept)


async def test_filters_say_true_in_four_ways(saving: RunningKept, ann: Person, origin: Origin) -> None:
    first, second = [await keep(saving, ann, origin, path) for path in ("/a", "/b")]
    changed = await call(
        ann, "PATCH", f"/bookmarks/{first}", {"is_archived": True, "is_marked": 1, "read_progress": 40}
    )
    assert changed.json.keys() == {"id", "href", "updated", "is_archived", "is_marked", "read_progress"}
    for said in ("1", "true"):
        assert await list_ids(ann, f"?is_archived={said}&is_marked={said}") == [first]
    for said in ("0", "false"):
        answer = await call(ann, "GET", f"/bookmarks?is_archived={said}&limit=1")
        assert ([each["id"] for each in answer.json], answer.headers["Total-Count"]) == ([second], "1")
    assert await list_ids(ann, "?read_status=reading") == [first]
    assert await list_ids(ann, "?read_status=unread&read_status=read") == [second]
    await call(ann, "PATCH", f"/bookmarks/{first}", {"read_progress": 100})
    assert await list_ids(ann, "?read_status=read") == [first]


@on_both_databases
async def test_each_filter_of_a_list_is_honoured_alone_and_with_a_search(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    """Every one that Readeck's API names; with `search`, they narrow what it finds."""
    harbour, storm = [
        await keep(saving, ann, origin, path, tags=labels)
        for path, labels in (("/harbour", ["news", "to read"]), ("/storm", ["newsletter"]))
    ]
    waiting = write_id(UUID((await ann.save("https://waiting.example/x", wait=False))["id"]))
    failed = write_id(UUID((await ann.save("https://failed.example/x", wait=False))["id"]))
    with writing(saving.kept.database) as tx:
        own = items.c.url == "https://failed.example/x"
        media_id = tx.execute(select(items.c.media_id).where(own)).scalar_one()
        values = {"processing_status": "failed", "byline": "Ann Body", "site_name": "The Gazette"}
        tx.execute(media.update().where(media.c.id == media_id).values(**values))
    await call(ann, "PATCH", f"/bookmarks/{harbour}", {"read_progress": 40, "is_marked": True})
    await call(ann, "PATCH", f"/bookmarks/{storm}", {"read_progress": 100, "is_archived": True})
    both = {harbour, storm}
    every = {*both, waiting, failed}
    expected = {
        "title=PAGE": both,
        "title=page harbour": {harbour},
        'title="page /storm"': {storm},
        "title=-harbour": every - {harbour},
        "title=100%": set(),
        "author=body": {failed},
        "author=nobody": set(),
        "site=gazette": {failed},
        "site=waiting.example": {waiting},
        "labels=news": {harbour},
        'labels="To Read" news': {harbour},
        "labels=news*": both,
        "labels=-news": every - {harbour},
        "labels=news&labels=x": set(),
        "has_labels=true": both,
        "has_labels=0": {waiting, failed},
        "has_errors=1": {failed},
        "has_errors=false": every - {failed},
        "is_loaded=1": every - {waiting},
        "is_loaded=0": {waiting},
        "type=article&type=video": every,
        "type=photo": set(),
        "read_status=unread": {waiting, failed},
        "read_status=reading&read_status=read": both,
        "is_marked=1&is_archived=0": {harbour},
        "range_start=2000-01-01": every,
        "range_start=2000-01-01T00:00:00&range_end=2001-01-01T00:00:00%2B02:00": set(),
        "updated_since=2000-01-01T00:00:00Z": every,
        "updated_since=2999-01-01T00:00:00Z": set(),
        f"id={harbour}&id={storm}&id=nothing": both,
        "collection=x": set(),
        "search=quiet": both,
        "search=quiet&is_archived=1": {storm},
        "search=quiet title:storm": {storm},
        "search=quiet -title:storm": {harbour},
        "search=label:news quiet": {harbour},
        "search=quiet&labels=news": {harbour},
        "search=quiet&read_status=reading": {harbour},
        "search=quiet -storm": set(),
        "search=nothing-like-it": set(),
        "search=https://example.org": set(),
    }
    for query, wanted in expected.items():
        answer = await call(ann, "GET", f"/bookmarks?{quote(query, safe='=&%')}")
        assert answer.status == 200, query
        assert {one["id"] for one in answer.json} == wanted, query
        assert answer.headers["Total-Count"] == str(len(wanted)), query
    assert await list_ids(ann, "?search=quiet&sort=title") == [harbour, storm]
    assert await list_ids(ann, "?search=quiet&sort=-title&limit=1&offset=1") == [harbour]
    past = await call(ann, "GET", "/bookmarks?labels=news*&offset=50")
    assert (past.json, past.headers["Total-Count"]) == ([], "2")


@pytest.mark.parametrize("path", ["/bookmarks", "/bookmarks/"])
async def test_a_link_is_accepted_at_once_with_its_id_in_a_header(
    saving: RunningKept, ann: Person, origin: Origin, path: str
) -> None:
    """ReadeckApp fails without Bookmark-Id; KOReader must not be redirected to the other slash form."""
    url = origin.page("/slow", "<title>S</title>")
    answer = await call(ann, "POST", path, {"url": url, "title": "Mine", "labels": ["a b", "C"]})
    assert (answer.status, answer.json["status"]) == (202, 202)
    key = answer.headers["Bookmark-Id"]
    assert answer.headers["Location"] == f"{ann.address}{API}/bookmarks/{key}"
    found = (await call(ann, "GET", f"/bookmarks/{key}")).json
    assert (found["title"], found["labels"], found["url"]) == ("Mine", ["a b", "c"], url)
    refused = await call(ann, "POST", path, {"url": "no url"})
    assert refused.status == 422
    assert refused.json["fields"]["url"]["errors"]


async def test_a_page_that_is_sent_along_is_not_fetched_and_is_nobody_elses(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker, origin: Origin
) -> None:
    urls = [origin.url(f"/login/{number}") for number in range(3)]
    ids = [(await call(ann, "POST", "/bookmarks", {"url": urls[0], "html": BODY})).headers["Bookmark-Id"]]
    resources = [(urls[1] + ".png", "image/png", "png"), (urls[1], "text/html", BODY)]
    ids.append((await send_resources(ann, urls[1], resources)).headers["Bookmark-Id"])
    form = aiohttp.FormData({"url": urls[2], "labels": "x"}, default_to_multipart=True)
    line = json.dumps({"url": urls[2], "headers": {"content-type": "text/html; charset=utf-8"}})
    form.add_field("resource", f"{line}\n{BODY}", filename="blob")
    ids.append((await ann.send(f"{API}/bookmarks/", form)).headers["Bookmark-Id"])
    await worker.work_off()
    for key in ids:
        found = (await call(ann, "GET", f"/bookmarks/{key}")).json
        assert (found["state"], found["has_article"]) == (0, True), found
        assert (
            "The harbour was quiet that morning" in (await call(ann, "GET", f"/bookmarks/{key}/article")).body.decode()
        )
    assert not origin.requests
    bobs = await call(bob, "POST", "/bookmarks", {"url": urls[0]})
    assert bobs.headers["Bookmark-Id"] != ids[0]
    assert (await call(bob, "GET", f"/bookmarks/{bobs.headers['Bookmark-Id']}/article")).status == 409


async def send_resources(person: Person, url: str, resources: list[tuple[str, str, str]]) -> Answer:
    """As the browser extension does: each part says in its headers where it came from."""
    parts = [f'--b\r\nContent-Disposition: form-data; name="url"\r\n\r\n{url}\r\n']
    for location, kind, text in resources:
        named = 'Content-Disposition: form-data; name="resource"; filename="blob"'
        parts.append(f"--b\r\n{named}\r\nContent-Type: {kind}\r\nLocation: {location}\r\n\r\n{text}\r\n")
    body = "".join([*parts, "--b--\r\n"]).encode()
    return await person.send(f"{API}/bookmarks", body, **{"Content-Type": "multipart/form-data; boundary=b"})


async def test_labels_are_replaced_added_and_removed(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """ReadeckApp types `labels` in the answer as a string, so that they are told only where they changed."""
    key = await keep(saving, ann, origin, "/a", tags=["one"])
    path = f"/bookmarks/{key}"
    assert (await call(ann, "PATCH", path, {"add_labels": ["Two"]})).json["labels"] == ["one", "two"]
    assert (await call(ann, "PATCH", path, {"remove_labels": ["one"], "add_labels": ["x"]})).json["labels"] == [
        "two",
        "x",
    ]
    assert (await call(ann, "PATCH", path, {"labels": ["夜"]})).json["labels"] == ["夜"]
    assert "labels" not in (await call(ann, "PATCH", path, {"title": "T"})).json
    [label] = (await call(ann, "GET", "/bookmarks/labels")).json
    assert (label["name"], label["count"]) == ("夜", 1)
    listed = await ann.get(label["href_bookmarks"].removeprefix(ann.address))
    assert [each["id"] for each in listed.json] == [key]
    assert (await call(ann, "GET", "/bookmarks/collections")).json == []


async def test_images_of_an_article_load_without_a_token(saving: RunningKept, ann: Person, origin: Origin) -> None:
    async def serve(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=picture(), content_type="image/png")

    origin.on("/i.png", serve)
    key = await keep(saving, ann, origin, "/a", '<p>x</p><img src="/i.png">')
    article = await call(ann, "GET", f"/bookmarks/{key}/article")
    assert article.headers["Content-Type"].startswith("text/html")
    assert article.body.startswith(b"<p>x</p>")  # a fragment
    [src] = re.findall(r'<img src="([^"]+)"', article.body.decode())
    path = src.removeprefix(ann.address)
    assert (await saving.nobody.get(path)).status == 200
    assert (await saving.nobody.get(path[:-1] + ("0" if path[-1] != "0" else "1"))).status == 404
    await call(ann, "DELETE", f"/bookmarks/{key}")
    assert (await saving.nobody.get(path)).status == 404


async def test_files_have_the_shapes_that_koreader_and_the_python_client_read(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    """KOReader strips `/body/DocFragment/body/main/`; a date without quotes is no text in YAML."""
    key = await keep(saving, ann, origin, "/a", title='A "title": yes', tags=["a, b"])
    await call(ann, "POST", f"/bookmarks/{key}/annotations", place("section/p", 4, "section/p", 11))
    epub = await call(ann, "GET", f"/bookmarks/{key}/article.epub")
    page = zipfile.ZipFile(io.BytesIO(epub.body)).read("EPUB/article-000001.xhtml").decode()
    fragment = (await call(ann, "GET", f"/bookmarks/{key}/article")).body.decode()
    assert f"<main>{fragment}</main>" in page  # and without a mark, which would change the paths
    assert (
        (await call(ann, "HEAD", f"/bookmarks/{key}/article.epub")).headers["Content-Disposition"].startswith("attach")
    )
    text = (await call(ann, "GET", f"/bookmarks/{key}/article.md")).body.decode()
    head = text.split("---\n")[1]
    assert 'title: "A \\"title\\": yes"\n' in head
    assert re.search(r'^saved: "\d{4}-\d\d-\d\d"$', head, re.MULTILINE)
    assert 'labels: ["a, b"]\n' in head


def place(start: str, start_offset: int, end: str, end_offset: int, **more: Any) -> dict[str, Any]:
    said = {"start_selector": start, "start_offset": start_offset, "end_selector": end, "end_offset": end_offset}
    return {**said, **more}


@on_both_databases
async def test_annotations_are_highlights_both_ways(saving: RunningKept, ann: Person, origin: Origin) -> None:
    key = await keep(saving, ann, origin, "/a")
    sent = place("section/p[2]", 7, "section/p[2]", 29, color="green", note="why")
    made = await call(ann, "POST", f"/bookmarks/{key}/annotations", sent)
    assert made.status == 201
    assert (made.json["text"], made.json["color"], made.json["note"]) == ("thought of the storm &", "green", "why")
    assert (made.json["start_selector"], made.json["start_offset"]) == ("section/p[2]/em", 0)
    [listed] = (await call(ann, "GET", f"/bookmarks/{key}/annotations")).json
    assert listed == made.json
    [own] = (await ann.get("/api/v1/highlights")).data
    assert (own["exact"], own["colour"], own["note"]) == ("thought of the storm &", "green", "why")
    overlap = await call(ann, "POST", f"/bookmarks/{key}/annotations", place("section/p[2]", 0, "section/p[2]", 9))
    assert (overlap.status, overlap.json["status"]) == (400, 400)
    elsewhere = await call(ann, "POST", f"/bookmarks/{key}/annotations", place("table/tr", 0, "table/tr", 9))
    assert elsewhere.status == 422
    await ann.post(f"/api/v1/media/{own['media_id']}/highlights", {"exact": "harbour"})
    all_own = await call(ann, "GET", "/bookmarks/annotations?limit=1")
    assert (all_own.headers["Total-Count"], len(all_own.json), all_own.json[0]["text"]) == ("2", 1, "harbour")
    assert all_own.json[0]["bookmark_id"] == key
    assert len((await call(ann, "GET", f"/bookmarks/{key}/annotations")).json) == 2
    other = await keep(saving, ann, origin, "/other")
    path = f"/annotations/{made.json['id']}"
    assert (await call(ann, "DELETE", f"/bookmarks/{other}{path}")).status == 404
    assert (await call(ann, "PATCH", f"/bookmarks/{key}{path}", {"color": "blue", "note": ""})).json["color"] == "blue"
    assert (await call(ann, "DELETE", f"/bookmarks/{key}{path}")).status == 204
    assert len((await ann.get("/api/v1/highlights")).data) == 1


async def sync(person: Person, since: str | None = None) -> dict[str, str]:
    query = f"?since={since}" if since else ""
    answer = await call(person, "GET", f"/bookmarks/sync{query}")
    assert answer.status == 200, answer.body
    return {event["id"]: event["type"] for event in answer.json}


@on_both_databases
async def test_sync_tells_what_changed_and_what_is_gone(
    saving: RunningKept, ann: Person, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deletions only with `since`; tags, stars and highlights count as changes."""
    monkeypatch.setattr("kept.services.syncing.changes.SLACK", utc_now() - utc_now())
    monkeypatch.setattr("kept.services.syncing.changes.PAGE", 2)
    kept = [await keep(saving, ann, origin, f"/{number}") for number in range(6)]
    assert await sync(ann) == dict.fromkeys(kept, "update")
    since = await now()
    assert await sync(ann, since) == {}
    own = [(await ann.get(f"/api/v1/items/{find_id(key)}")).data for key in kept]
    await ann.patch(f"/api/v1/items/{own[0]['id']}", {"tags": ["t"]})
    await ann.patch(f"/api/v1/items/{own[1]['id']}", {"is_favourite": True})
    await ann.post(f"/api/v1/media/{own[2]['media_id']}/highlights", {"exact": "harbour"})
    await call(ann, "PATCH", f"/bookmarks/{kept[3]}", {"add_labels": ["x"]})
    assert (await call(ann, "DELETE", f"/bookmarks/{kept[4]}")).status == 204
    expected = dict.fromkeys(kept[:4], "update") | {kept[4]: "delete"}
    assert await sync(ann, since) == expected
    assert await sync(ann) == dict.fromkeys([*kept[:4], kept[5]], "update")
    listed = await call(ann, "GET", f"/bookmarks?updated_since={since}")
    assert {each["id"] for each in listed.json} == set(kept[:4])
    since = await now()
    [highlight] = (await ann.get("/api/v1/highlights")).data
    await ann.delete(f"/api/v1/highlights/{highlight['id']}")
    assert await sync(ann, since) == {kept[2]: "update"}
    assert (await call(ann, "PATCH", f"/bookmarks/{kept[4]}", {"is_deleted": False})).status == 200
    assert (await sync(ann, since))[kept[4]] == "update"  # it is back, and its tombstone says nothing any more
    assert (await call(ann, "PATCH", f"/bookmarks/{kept[4]}", {"is_deleted": True})).json["is_deleted"] is True
    library = (await ann.post("/api/v1/libraries", {"name": "Other"})).data["id"]
    await ann.post(f"/api/v1/items/{own[5]['id']}/move", {"library_id": library})
    assert (await sync(ann, since))[kept[5]] == "delete"  # moved out of one's own library


async def now() -> str:
    """A moment after all that was written."""
    await asyncio.sleep(0.002)
    return utc_now().isoformat().replace("+00:00", "Z")


@on_both_databases
async def test_tombstones_are_kept_for_ninety_days(saving: RunningKept, ann: Person, origin: Origin) -> None:
    key = await keep(saving, ann, origin, "/a")
    await call(ann, "DELETE", f"/bookmarks/{key}")
    database, long_ago = saving.kept.database, utc_now().replace(year=utc_now().year - 1)
    await tidy_up(database, saving.kept.blobs, now=utc_now())
    assert await sync(ann, "2000-01-01T00:00:00Z") == {key: "delete"}
    with writing(database) as tx:
        tx.execute(item_tombstones.update().values(removed_at=long_ago))
    await tidy_up(database, saving.kept.blobs, now=utc_now())
    assert await sync(ann, "2000-01-01T00:00:00Z") == {}


async def test_bookmarks_come_in_one_stream_of_parts(saving: RunningKept, ann: Person, origin: Origin) -> None:
    keys = [await keep(saving, ann, origin, f"/{number}") for number in range(2)]
    body = {"id": [*keys, NOWHERE], "with_json": True, "with_html": True, "with_markdown": False}
    answer = await call(ann, "POST", "/bookmarks/sync", body)
    kind = answer.headers["Content-Type"]
    assert kind.startswith("multipart/mixed; boundary=")
    assert b"\r\n\r\n" in answer.body
    parts = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + answer.body).get_payload()
    assert isinstance(parts, list)
    told = [(part["Bookmark-Id"], part["Type"]) for part in parts if not isinstance(part, str)]
    assert sorted(told) == sorted((key, which) for key in keys for which in ("json", "html"))


async def test_a_token_that_may_only_read_changes_nothing(saving: RunningKept, ann: Person, origin: Origin) -> None:
    key = await keep(saving, ann, origin, "/a")
    assert ann.user is not None
    reader = await saving.give_token(ann.user, {Scope.READ})
    assert (await call(reader, "GET", f"/bookmarks/{key}")).status == 200
    for method, path in WRITES:
        answer = await call(reader, method, path.format(id=key, aid=key), {})
        assert (answer.status, answer.json["status"]) == (403, 403), path
        assert (await call(saving.nobody, method, path.format(id=key, aid=key), {})).status == 401
    assert (await call(reader, "GET", "/profile")).json["provider"]["permissions"] == [
        "api:bookmarks:read",
        "api:profile:read",
    ]


WRITES = [
    ("POST", "/bookmarks"),
    ("PATCH", "/bookmarks/{id}"),
    ("DELETE", "/bookmarks/{id}"),
    ("POST", "/bookmarks/{id}/annotations"),
    ("PATCH", "/bookmarks/{id}/annotations/{aid}"),
    ("DELETE", "/bookmarks/{id}/annotations/{aid}"),
]
READS = ["", "/article", "/article.epub", "/article.md", "/annotations", "/x/log", "/x/props.json"]


async def test_what_somebody_else_has_is_not_there(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    key = await keep(saving, ann, origin, "/a")
    made = await call(ann, "POST", f"/bookmarks/{key}/annotations", place("section/p", 4, "section/p", 11))
    for path in READS:
        answers = [await call(bob, "GET", f"/bookmarks/{each}{path}") for each in (key, NOWHERE, "x")]
        assert [answer.status for answer in answers] == [404, 404, 404], path
        assert len({answer.body for answer in answers}) == 1
    for method, path in WRITES[1:]:
        filled = path.format(id=key, aid=made.json["id"])
        assert (await call(bob, method, filled, place("section/p", 0, "section/p", 3))).status == 404, path
    assert await list_ids(bob, f"?id={key}") == []
    assert await sync(bob) == {}
    parts = await call(bob, "POST", "/bookmarks/sync", {"id": [key], "with_json": True})
    assert b"Bookmark-Id" not in parts.body
    bobs = write_id(UUID((await bob.save(origin.url("/a")))["id"]))  # the same page, under an id of his own
    assert (await call(bob, "GET", f"/bookmarks/{bobs}/annotations")).json == []
    assert (await call(bob, "DELETE", f"/bookmarks/{bobs}/annotations/{made.json['id']}")).status == 404


async def test_unknown_paths_and_odd_values_are_refused_in_readecks_words(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    key = await keep(saving, ann, origin, "/a")
    for path in ("/nothing", "/bookmarks/x/y/z", "/bookmarks/%00", "/../readeck"):
        answer = await call(ann, "GET", path, Accept="text/html")
        assert answer.status == 404
    assert (await call(ann, "GET", "/nothing")).json == {"status": 404, "message": answer_message()}
    for query in ("since=yesterday", "since=0", "since=9999-99-99T00:00:00Z"):
        assert (await call(ann, "GET", f"/bookmarks/sync?{query}")).status == 400
    odd: list[Any] = [
        {"read_progress": 101},
        {"read_progress": "x"},
        {"labels": ["\u0000" * 9]},
        {"title": "x" * 9999},
        [],
    ]
    for body in odd:
        assert (await call(ann, "PATCH", f"/bookmarks/{key}", body)).status in {200, 400}, body
    assert (
        await ann.call("PATCH", f"{API}/bookmarks/{key}", data=b"{", **{"Content-Type": "application/json"})
    ).status == 400
    assert write_id(UUID(int=0)) == NOWHERE


def answer_message() -> str:
    return "This doesn't exist, or you don't have access to it."
