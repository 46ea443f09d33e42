"""Requests as apps send them that cannot run here, with their own headers and bodies; and what each app needs of the
answers."""

import hashlib
import io
import json
import re
import zipfile
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from support.builders.articles import ingest
from support.builders.many_items import fill_with_items
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "clients of wallabag and linkding work with Kept")

JSON = {"Content-Type": "application/json", "Accept": "application/json, */*"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
KOREADER = {"User-Agent": "KOReader/2026.08 (https://koreader.rocks/) LuaSocket/3.1.0 (Linux; U; Kobo)"}
ANDROID = {"User-Agent": "okhttp/4.12.0", "Accept-Encoding": "gzip"}
IOS = {"User-Agent": "wallabag/7.4 CFNetwork/1498.700.2 Darwin/23.6.0"}
MINIFLUX = {"User-Agent": "Mozilla/5.0 (compatible; Miniflux/2.2; +https://miniflux.app)"}
OBSIDIAN = {"User-Agent": "Mozilla/5.0 obsidian/1.8.10 Chrome/132.0.6834.210 Electron/34.3.0"}
WALLABAGGER = {"Accept": "application/json", "Content-Type": "application/json", "Origin": "chrome-extension://abc"}
EXTENSION = {"Content-Type": "application/json", "Origin": "moz-extension://abc"}
LINKDY = {"User-Agent": "Dart/3.5 (dart:io)", "Accept": "application/json"}


async def send(person: Person, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """With exactly these headers; a body of text goes as it is."""
    data = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    answer = await person.call(method, path, data=data, **headers)
    assert answer.status not in {301, 302, 303, 307, 308}, (method, path)
    return answer


async def oauth(person: Person, body: Any, **headers: str) -> str:
    answer = await send(Person(person.address), "POST", "/wallabag/oauth/v2/token", body, **headers)
    assert answer.status == 200, answer.body
    assert answer.json["expires_in"] > 300  # KOReader
    return str(answer.json["access_token"])


@pytest.fixture
async def library(saving: RunningKept, ann: Person) -> Person:
    assert ann.user is not None
    fill_with_items(saving.kept.database, ann.user.id, 65)
    return ann


async def test_koreader_signs_in_lists_downloads_archives_tags_and_deletes(
    saving: RunningKept, library: Person
) -> None:
    base = {"client_id": "1_kept", "client_secret": "kept", "grant_type": "password", "username": "k"}
    token = await oauth(library, {**base, "password": library.token}, **JSON, **KOREADER)
    app = Person(library.address, token)
    numbers, page = [], 1
    while True:
        query = f"archive=0&page={page}&perPage=30&sort=created&order=asc"
        answer = await send(app, "GET", f"/wallabag/api/entries.json?{query}", **KOREADER)
        if answer.status == 404:
            break
        assert answer.body.startswith(b"{")
        for entry in answer.json["_embedded"]["items"]:
            assert isinstance(entry["title"], str)
            assert [tag["label"] for tag in entry["tags"]]
            numbers.append(entry["id"])
        page += 1
    assert (len(numbers), page) == (33, 3)
    added = await send(app, "POST", "/wallabag/api/entries.json", {"url": "https://k.example/"}, **JSON, **KOREADER)
    assert (added.status, added.body[:1]) == (200, b"{")
    number = added.json["id"]
    media_id = (await library.get("/api/v1/items?limit=1")).json["data"][0]["media_id"]
    ingest(saving.kept.database, media_id, "<p>Words.</p>")
    path = f"/wallabag/api/entries/{number}"
    head = await app.call("HEAD", f"{path}/export.epub", **KOREADER)
    assert head.status == 200
    book = await send(app, "GET", f"{path}/export.epub", **KOREADER)
    assert zipfile.ZipFile(io.BytesIO(book.body)).namelist()[0] == "mimetype"
    tagged = await send(app, "POST", f"{path}/tags.json", {"tags": "read"}, **JSON, **KOREADER)
    assert (tagged.status, tagged.body[:1]) == (200, b"{")
    archived = await send(app, "PATCH", f"{path}.json", {"archive": 1}, **JSON, **KOREADER)
    assert (archived.status, archived.json["is_archived"]) == (200, 1)
    gone = await send(app, "DELETE", f"{path}.json", **KOREADER)
    assert (gone.status, gone.body[:1]) == (200, b"{")


async def test_the_android_app_tests_the_server_synchronises_and_sweeps(saving: RunningKept, library: Person) -> None:
    base = {"client_id": "1_kept", "client_secret": "kept", "username": "a"}
    sent = urlencode({**base, "grant_type": "password", "password": library.token})
    app = Person(library.address, await oauth(library, sent, **FORM, **ANDROID))
    version = await send(Person(library.address), "GET", "/wallabag/api/version.json", **ANDROID)
    assert version.json >= "2.3"
    probe = "/wallabag/api/entries/exists.json?url=wallabag-apiwrapper-test.example.com"
    assert (await send(app, "GET", probe, **ANDROID)).json == {"exists": False}
    expired = await send(Person(library.address, "stale"), "GET", "/wallabag/api/entries.json", **ANDROID)
    assert expired.status == 401
    stale = urlencode({**base, "grant_type": "refresh_token", "refresh_token": "stale"})
    refused = await send(Person(library.address), "POST", "/wallabag/oauth/v2/token", stale, **FORM, **ANDROID)
    assert (refused.status, refused.json["error"]) == (400, "invalid_grant")
    urls, page, pages = [], 1, 99
    while page <= pages:
        query = f"page={page}&perPage=30&sort=created&order=asc&since=0&detail=full"
        told = (await send(app, "GET", f"/wallabag/api/entries.json?{query}", **ANDROID)).json
        pages = told["pages"]
        assert told["page"] == page
        for entry in told["_embedded"]["items"]:
            assert type(entry["is_archived"]) is type(entry["is_starred"]) is int
            assert entry["id"] < 2**31
            urls.append(entry["given_url"])
        page += 1
    assert len(urls) == 65
    total = (await send(app, "GET", "/wallabag/api/entries.json?perPage=1&detail=metadata", **ANDROID)).json["total"]
    assert total == len(urls)
    hashes = [hashlib.sha1(url.encode()).hexdigest() for url in urls[:60]]
    query = urlencode([("hashed_urls[]", one) for one in hashes])
    assert len(query) < 3990
    swept = (await send(app, "GET", f"/wallabag/api/entries/exists.json?{query}", **ANDROID)).json
    assert swept == dict.fromkeys(hashes, True)  # what is missed is deleted on the phone
    entry = (await send(app, "POST", "/wallabag/api/entries.json", "url=https%3A%2F%2Fa.example%2F", **FORM)).json
    media_id = (await library.get("/api/v1/items?limit=1")).json["data"][0]["media_id"]
    ingest(saving.kept.database, media_id, "<p>Some words here.</p>")
    ranges = [{"start": "/p[1]", "end": "/p[1]", "startOffset": 5, "endOffset": 10}]
    annotation = {"text": "n", "quote": "words", "ranges": ranges}
    made = await send(app, "POST", f"/wallabag/api/annotations/{entry['id']}.json", annotation, **JSON, **ANDROID)
    assert (made.status, made.json["ranges"]) == (200, ranges)
    path = f"/wallabag/api/annotations/{made.json['id']}.json"
    assert (await send(app, "PUT", path, {**annotation, "text": "m"}, **JSON, **ANDROID)).json["text"] == "m"
    assert (await send(app, "DELETE", path, **ANDROID)).status == 200
    starred = await send(app, "PATCH", f"/wallabag/api/entries/{entry['id']}.json", "starred=1", **FORM, **ANDROID)
    assert starred.json["is_starred"] == 1
    expect = f"/wallabag/api/entries/{entry['id']}.json?expect=id"
    assert (await send(app, "DELETE", expect, **ANDROID)).json == {"id": entry["id"]}


async def test_the_ios_app_loops_until_no_list_comes_and_sends_empty_bodies(
    saving: RunningKept, library: Person
) -> None:
    sent = {"grant_type": "password", "client_id": "1", "client_secret": "s", "username": "i"}
    app = Person(library.address, await oauth(library, {**sent, "password": library.token}, **JSON, **IOS))
    assert (await send(app, "GET", "/wallabag/api/config", **IOS)).status == 404
    seen, page = set(), 1
    while True:
        query = f"page={page}&perPage=50&order=desc&sort=updated"
        answer = await send(app, "GET", f"/wallabag/api/entries?{query}", **JSON, **IOS)
        if answer.status != 200:
            assert "_embedded" not in answer.json
            break
        seen |= {entry["id"] for entry in answer.json["_embedded"]["items"]}
        page += 1
    assert len(seen) == 65
    number = min(seen)
    reloaded = await send(app, "PATCH", f"/wallabag/api/entries/{number}/reload", "", **JSON, **IOS)
    assert reloaded.status == 304  # it is being fetched
    deleted = await send(app, "DELETE", f"/wallabag/api/entries/{number}", "", **JSON, **IOS)
    assert deleted.status == 200
    tags = (await send(app, "GET", "/wallabag/api/tags", **JSON, **IOS)).json
    assert all(tag["slug"].startswith("t:") for tag in tags)
    refused = await send(Person(library.address, "x"), "GET", "/wallabag/api/entries", **IOS)
    assert (refused.status, set(refused.json)) == (401, {"error", "error_description"})


async def test_wallabagger_saves_the_page_it_sees_and_finds_it_by_its_hash(
    saving: RunningKept, library: Person
) -> None:
    sent = {"grant_type": "password", "client_id": "1", "client_secret": "s", "username": "w"}
    app = Person(library.address, await oauth(library, {**sent, "password": library.token}, **WALLABAGGER))
    version = await send(Person(library.address), "GET", "/wallabag/api/version", **WALLABAGGER)
    assert [int(part) for part in version.json.split(".")] >= [2, 1]
    url = "https://w.example/a%20page?x=1"
    body = {"url": url, "title": "Seen", "content": "<p>" + "Behind the login. " * 30 + "</p>", "tags": "a,b"}
    saved = await send(app, "POST", "/wallabag/api/entries.json", body, **WALLABAGGER)
    assert (saved.status, saved.json["title"]) == (200, "Seen")
    hashed = hashlib.sha1(url.encode()).hexdigest()
    path = f"/wallabag/api/entries/exists.json?return_id=1&hashed_url={hashed}"
    assert (await send(app, "GET", path, **WALLABAGGER)).json == {"exists": saved.json["id"]}
    entry = f"/wallabag/api/entries/{saved.json['id']}"
    changed = await send(app, "PATCH", f"{entry}.json", {"archive": 1, "tags": "c"}, **WALLABAGGER)
    assert [tag["label"] for tag in changed.json["tags"]] == ["c"]
    tag = changed.json["tags"][0]["id"]
    assert (await send(app, "DELETE", f"{entry}/tags/{tag}.json", **WALLABAGGER)).json["tags"] == []
    assert (await send(app, "DELETE", f"{entry}.json", **WALLABAGGER)).status == 200
    missing = await send(app, "GET", f"{entry}.json", **WALLABAGGER)
    assert missing.json["error"]  # it reads every error as JSON


async def test_miniflux_saves_to_wallabag_and_to_linkding(saving: RunningKept, library: Person) -> None:
    sent = {"client_id": "1", "client_secret": "s", "grant_type": "password", "username": "m"}
    body = urlencode({**sent, "password": library.token})
    app = Person(library.address, await oauth(library, body, **FORM, **MINIFLUX))
    entry = {"url": "https://m.example/1", "title": "Feed entry", "content": "<p>" + "Text of it. " * 40 + "</p>"}
    saved = await send(app, "POST", "/wallabag/api/entries.json", {**entry, "tags": "feed"}, **JSON, **MINIFLUX)
    assert saved.status == 200
    bookmark = {"url": "https://m.example/2", "title": "T", "tag_names": ["feed", "x"], "unread": True}
    nobody = Person(library.address)
    headers = {**MINIFLUX, "Content-Type": "application/json", "Authorization": f"Token {library.token}"}
    made = await send(nobody, "POST", "/linkding/api/bookmarks/", bookmark, **headers)
    assert (made.status, made.json["tag_names"]) == (201, ["feed", "x"])


async def test_obsidian_pages_until_the_last_page_and_refreshes_on_401(saving: RunningKept, library: Person) -> None:
    sent = {"grant_type": "password", "client_id": "1", "client_secret": "s", "username": "o"}
    token = await send(
        Person(library.address),
        "POST",
        "/wallabag/oauth/v2/token",
        {**sent, "password": library.token},
        **JSON,
        **OBSIDIAN,
    )
    refresh = {"grant_type": "refresh_token", "client_id": "1", "client_secret": "s"}
    body = urlencode({**refresh, "refresh_token": token.json["refresh_token"]})
    app = Person(library.address, await oauth(library, body, **FORM, **OBSIDIAN))
    page, found = 1, []
    while True:
        told = (await send(app, "GET", f"/wallabag/api/entries.json?page={page}&tags=tag-1", **OBSIDIAN)).json
        found += told["_embedded"]["items"]
        if told["page"] == told["pages"]:
            break
        page += 1
    assert len(found) == 4
    assert all(re.fullmatch(r"t:[^ ]+", tag["slug"]) for entry in found for tag in entry["tags"])


async def test_linkdings_extension_checks_saves_and_edits(saving: RunningKept, library: Person) -> None:
    nobody = Person(library.address)
    headers = {**EXTENSION, "Authorization": f"Token {library.token}"}
    profile = await send(nobody, "GET", "/linkding/api/user/profile/", **headers)
    assert (profile.status, profile.json["enable_sharing"]) == (200, False)
    tags = await send(nobody, "GET", "/linkding/api/tags/?limit=5000", **headers)
    assert len(tags.json["results"]) == 20
    url = "https://x.example/p?utm_source=y"
    check = f"/linkding/api/bookmarks/check/?url={quote(url, safe='')}"
    checked = await send(nobody, "GET", check, **headers)
    assert (checked.status, checked.json["bookmark"], checked.json["metadata"]["url"]) == (200, None, url)
    body = {"url": url, "title": "", "description": "", "notes": "", "tag_names": ["t"], "unread": False}
    path = "/linkding/api/bookmarks/"
    saved = await send(nobody, "POST", f"{path}?disable_html_snapshot", {**body, "shared": False}, **headers)
    assert saved.status == 201
    again = await send(nobody, "GET", check, **headers)
    assert again.json["bookmark"]["id"] == saved.json["id"]
    found = await send(nobody, "GET", f"{path}?q=harbour&limit=10&offset=0", **headers)
    assert len(found.json["results"]) == 10
    changed = await send(nobody, "PATCH", f"{path}{saved.json['id']}/", {"title": "N"}, **headers)
    assert (changed.status, changed.json["title"]) == (200, "N")
    assert (await send(nobody, "DELETE", f"{path}{saved.json['id']}/", **headers)).status == 204


async def test_linkdings_injector_searches_with_the_words_of_a_search_engine(
    saving: RunningKept, library: Person
) -> None:
    headers = {"Authorization": f"Token {library.token}", "Origin": "https://duckduckgo.com"}
    path = f"/linkding/api/bookmarks/?q={quote('number harbour')}&limit=10"
    found = await send(Person(library.address), "GET", path, **headers)
    assert (found.status, len(found.json["results"])) == (200, 10)
    assert {"title", "url", "description", "tag_names", "date_added"} <= set(found.json["results"][0])


async def test_linkdy_probes_sends_multipart_and_leaves_out_slashes(saving: RunningKept, library: Person) -> None:
    headers = {**LINKDY, "Authorization": f"Token {library.token}"}
    nobody = Person(library.address)
    assert (await send(nobody, "GET", "/linkding/api/", **headers)).status == 200
    assert (await send(nobody, "GET", "/linkding/api/bookmarks/?limit=1", **headers)).status == 200
    check = f"/linkding/api/bookmarks/check?url={quote('https://l.example/', safe='')}"
    assert (await send(nobody, "GET", check, **headers)).json["bookmark"] is None
    fields = {"url": "https://l.example/", "title": "T", "tag_names": "a,b", "is_archived": "false", "unread": "true"}
    parts = [
        f'--B\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    ]
    body, kind = "".join([*parts, "--B--\r\n"]), {"Content-Type": "multipart/form-data; boundary=B"}
    made = await send(nobody, "POST", "/linkding/api/bookmarks/", body, **headers, **kind)
    assert made.status == 201
    assert (made.json["tag_names"], made.json["is_archived"], made.json["unread"]) == (["a", "b"], False, True)
    archived = await send(nobody, "POST", f"/linkding/api/bookmarks/{made.json['id']}/archive/", **headers)
    assert archived.status == 204
