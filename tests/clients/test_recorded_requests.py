"""Requests of apps that cannot run here, sent as they send them, and what they need of the answers."""

import base64
import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from support.servers.origin import Origin
from support.servers.readeck import API, keep
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement(
    "Kept", "clients of wallabag and linkding work with Kept", "Readeck's clients, OPDS and MCP"
)

FORM = "application/x-www-form-urlencoded"


def as_app(person: Person, **headers: str) -> Person:
    return Person(person.address, person.token, person.user, headers)


async def test_koreaders_readeck_plugin(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """readeck.koplugin: forms for OAuth, JSON for the rest; 200, 201, 202 and 204 succeed; no redirect is followed."""
    app = as_app(ann, **{"User-Agent": "KOReader/2026.08 (LuaSocket 3.1)", "Accept": "application/json"})
    nobody = Person(ann.address, None, None, app.headers)
    info = await nobody.get(f"{API}/info")
    assert tuple(map(int, info.json["version"]["canonical"].split("."))) >= (0, 22, 2)  # enables notes
    assert "oauth" in info.json["features"]
    fields = [("client_name", "KOReader"), ("client_uri", "https://koreader.rocks"), ("software_id", "koreader")]
    fields += [
        ("software_version", "1"),
        ("redirect_uris", ""),
        ("grant_types", "urn:ietf:params:oauth:grant-type:device_code"),
    ]
    sent = urlencode([pair for pair in fields if pair[1]])
    registered = await nobody.send(f"{API}/oauth/client", sent, **{"Content-Type": FORM})
    assert (registered.status, registered.json["client_name"]) == (201, "KOReader")
    asked = urlencode({"client_id": registered.json["client_id"], "scope": "bookmarks:read bookmarks:write"})
    device = await nobody.send(f"{API}/oauth/device", asked, **{"Content-Type": FORM})
    assert {"device_code", "user_code", "verification_uri", "expires_in", "interval"} <= device.json.keys()
    key = await keep(saving, ann, origin, "/a")
    listed = await app.get(f"{API}/bookmarks?limit=30&offset=0&sort=-created&is_archived=false&type=article")
    assert [bookmark["id"] for bookmark in listed.json] == [key]
    epub = await app.get(f"{API}/bookmarks/{key}/article.epub")
    assert (epub.status, epub.body[:2]) == (200, b"PK")
    place = {"start_selector": "section/p[2]", "start_offset": 0, "end_selector": "section/p[2]", "end_offset": 6}
    made = await app.post(f"{API}/bookmarks/{key}/annotations", {**place, "color": "yellow", "note": "n"})
    assert (made.status, made.json["text"]) == (201, "Nobody")
    changed = await app.patch(f"{API}/bookmarks/{key}", {"is_archived": True, "read_progress": 100})
    assert changed.status == 200
    assert (await app.delete(f"{API}/bookmarks/{key}/annotations/{made.json['id']}")).status == 204
    assert (await app.delete(f"{API}/bookmarks/{key}")).status == 204


async def test_koreaders_opds_browser(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """HEAD, then GET, identity encoding, Basic unasked; its lexer knows no prefixes, and one author."""
    await keep(saving, ann, origin, "/a")
    sent = base64.b64encode(f"ann:{ann.token}".encode()).decode()
    headers = {"Authorization": f"Basic {sent}", "Accept-Encoding": "identity", "User-Agent": "KOReader/2026.08"}
    app = Person(ann.address, None, None, headers)
    for path in ("/opds", "/opds/unread"):
        head, feed = await app.call("HEAD", path), await app.get(path)
        assert (head.status, feed.status, head.body) == (200, 200, b"")
        assert head.headers["Content-Type"] == feed.headers["Content-Type"]
        assert "Content-Encoding" not in feed.headers
        assert not re.search(rb"</?[a-z]+:", feed.body)
        entries = feed.body.split(b"<entry>")[1:]
        assert all(entry.count(b"<author>") <= 1 for entry in entries)
        assert all(b"<content" not in entry or b'<content type="text">' in entry for entry in entries)
    [href] = re.findall(rb'rel="http://opds-spec.org/acquisition" href="([^"?]+\.epub)"', feed.body)
    path = href.decode().removeprefix(ann.address)
    assert "attachment" in (await app.call("HEAD", path)).headers["Content-Disposition"]
    assert (await app.get(path)).body[:2] == b"PK"


async def test_readeckapp_for_android(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """Strict models; Total headers; all changed ids in one URL; syncs by time."""
    app = as_app(ann, **{"User-Agent": "okhttp/4.12.0", "Accept": "application/json"})
    profile = (await app.get(f"{API}/profile")).json
    reader = profile["user"]["settings"]["reader_settings"]
    assert {"width", "font", "font_size", "line_height", "justify", "hyphenation"} <= reader.keys()
    assert {"id", "name", "application", "roles", "permissions"} == profile["provider"].keys()
    keys = [await keep(saving, ann, origin, f"/{number}") for number in range(3)]
    everything = (await app.get(f"{API}/bookmarks/sync")).json
    assert {event["id"] for event in everything} == set(keys)
    assert all(event["type"] == "update" and event["time"].endswith("Z") for event in everything)
    query = urlencode([*(("id", key) for key in keys * 100), ("limit", 100)])
    listed = await app.get(f"{API}/bookmarks?{query}")
    assert len(listed.json) == 3
    assert {"Total-Count", "Total-Pages", "Current-Page"} <= listed.headers.keys()
    made = await app.post(f"{API}/bookmarks", {"url": origin.page("/n", "<title>N</title>"), "title": "", "labels": []})
    assert (made.status, len(made.headers["Bookmark-Id"])) == (202, 22)
    assert (await app.patch(f"{API}/bookmarks/{keys[0]}", {"is_marked": True})).json.keys() == {
        "id",
        "href",
        "updated",
        "is_marked",
    }
    article = await app.get(f"{API}/bookmarks/{keys[0]}/article", Accept="text/html")
    assert b"<html" not in article.body


async def test_readeck_for_ios(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """Quotes labels, needs both sizes of images, falls back to the stream of parts."""
    app = as_app(ann, **{"User-Agent": "readeck-ios/1 CFNetwork", "Accept": "*/*"})
    key = await keep(saving, ann, origin, "/a", tags=["to read"])
    found = await app.get(f"{API}/bookmarks?labels=%22to%20read%22&is_archived=0&limit=50&offset=0")
    assert [bookmark["id"] for bookmark in found.json] == [key]
    assert (await app.get(f"{API}/bookmarks/labels")).json[0]["name"] == "to read"
    stream = await app.post(f"{API}/bookmarks/sync", {"id": [key], "with_html": True, "with_json": True})
    parts = parse_parts(stream)
    assert [(part["bookmark-id"], part["type"]) for part, _ in parts] == [(key, "json"), (key, "html")]
    assert json.loads(parts[0][1])["id"] == key
    assert (await app.get(f"{API}/bookmarks/{key}/annotations")).json == []


def parse_parts(answer: Answer) -> list[tuple[dict[str, str], bytes]]:
    """As strictly as the app: CRLF, and lengths that are true."""
    boundary = answer.headers["Content-Type"].partition('boundary="')[2].rstrip('"').encode()
    found = []
    for part in answer.body.split(b"--" + boundary)[1:-1]:
        head, _, body = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = dict(line.decode().lower().split(": ", 1) for line in head.split(b"\r\n"))
        headers["bookmark-id"] = re.findall(rb"Bookmark-Id: (\w+)", head)[0].decode()
        assert len(body.removesuffix(b"\r\n")) == int(headers["content-length"])
        found.append((headers, body.removesuffix(b"\r\n")))
    return found


@pytest.mark.parametrize("is_full", [False, True])
async def test_miniflux(saving: RunningKept, ann: Person, origin: Origin, is_full: bool) -> None:
    """Saves an entry as JSON, or with its page: the first line of the part says where it is from."""
    app = as_app(ann, **{"User-Agent": "Miniflux/2.2"})
    url = origin.url("/entry")
    body: Any = {"url": url, "title": "Entry", "labels": ["feed"]}
    if is_full:
        line = json.dumps({"url": url, "headers": {"content-type": "text/html"}})
        fields = {"url": url, "title": "Entry", "labels": "feed", "feature_find_main": "false"}
        parts = [
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
        ]
        named = (
            'Content-Disposition: form-data; name="resource"; filename="blob"\r\nContent-Type: application/octet-stream'
        )
        parts.append(f"--b\r\n{named}\r\n\r\n{line}\n<p>Whole text.</p>\r\n--b--\r\n")
        sent = await app.send(f"{API}/bookmarks", "".join(parts), **{"Content-Type": "multipart/form-data; boundary=b"})
    else:
        sent = await app.post(f"{API}/bookmarks/", body)
    assert sent.status == 202
    found = (await app.get(f"{API}/bookmarks/{sent.headers['Bookmark-Id']}")).json
    assert (found["title"], found["labels"]) == ("Entry", ["feed"])
    assert not origin.requests  # in the background
