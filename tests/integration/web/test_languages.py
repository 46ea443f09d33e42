"""The pages are in the language that a person chose or the browser asks for; the API stays in English."""

import io
import json
import re

import pytest

from kept.domain.account import Scope, Viewer
from kept.services.accounts.preferences import change_preferences
from kept.services.importing.imports import FileToImport, start_import
from kept.services.importing.running import Slice, advance_import
from support.builders.demo import PAGES, stock
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "web pages in five languages, and from right to left")

GERMAN = {"Accept": "text/html", "Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}


async def choose(running: RunningKept, person: Person, language: str) -> None:
    assert person.user is not None
    viewer = Viewer(person.user, frozenset(Scope))
    await running.kept.write(change_preferences, viewer, {"language": language}, now=running.kept.now())


async def test_the_browser_chooses_until_the_person_does(running: RunningKept, reader: Person) -> None:
    signed_out = await running.nobody.get("/sign-in", **GERMAN)
    page = await reader.get("/account", **GERMAN)
    for answer in (signed_out, page):
        assert answer.headers["Content-Language"] == "de"
        assert "Accept-Language" in answer.headers["Vary"]
        assert b'<html lang="de" dir="ltr"' in answer.body
    assert "Wie im Browser" in page.body.decode()
    english = await reader.get("/account", Accept="text/html")
    assert b'<html lang="en"' in english.body
    assert b'id="texts"' not in english.body
    sent = await reader.send("/preferences", {"language": "zh-Hans", "back": "/account"})
    assert sent.status == 303
    chosen = await reader.get("/account", **GERMAN)
    assert chosen.headers["Content-Language"] == "zh-Hans"
    assert '<option value="zh-Hans" lang="zh-Hans" selected>简体中文</option>' in chosen.body.decode()


async def test_a_language_there_is_not_is_refused(reader: Person) -> None:
    answer = await reader.send("/preferences", {"language": "xx"}, Accept="text/html")
    assert answer.status == 400


async def test_scripts_get_what_they_say_in_the_language_of_the_page(reader: Person) -> None:
    body = (await reader.get("/", **GERMAN)).body.decode()
    [texts] = re.findall(r'<script type="application/json" id="texts">(.*?)</script>', body)
    assert json.loads(texts)["Already saved."] == "Bereits gespeichert."
    assert len(texts) < 4000


async def test_errors_are_in_the_language_of_the_page(running: RunningKept, reader: Person) -> None:
    missing = await running.nobody.get("/nowhere", **GERMAN)
    assert "Seite nicht gefunden" in missing.body.decode()
    await choose(running, reader, "fr")
    form = await reader.send("/add", {"url": "http://"}, **GERMAN)
    assert "Ce n’est pas une URL web" in form.body.decode()
    fragment = await reader.send("/add", {"url": "http://"}, **{**GERMAN, "Kept-Fragment": "1"})
    assert fragment.json["error"]["message"].startswith("Ce n’est pas une URL web")
    assert (fragment.json["error"]["code"], fragment.headers["Content-Language"]) == ("E_URL_INVALID", "fr")
    invalid = await reader.get(f"/tags?page={10**9}", **GERMAN)
    assert "La requête n’est pas valide." in invalid.body.decode()


async def test_the_api_stays_in_english(running: RunningKept, reader: Person) -> None:
    await choose(running, reader, "de")
    answer = await reader.post("/api/v1/items", {"url": "http://"}, **{"Accept-Language": "de"})
    assert answer.json["error"]["message"].startswith("This is not a web URL")


@pytest.mark.parametrize(("language", "name"), [("de", "Link hinzufügen"), ("en", "Add link"), ("xx", "Add link")])
async def test_the_manifest_is_in_the_language_of_the_page(running: RunningKept, language: str, name: str) -> None:
    answer = await running.nobody.get(f"/kept.webmanifest?lang={language}")
    manifest = json.loads(answer.body)
    assert answer.headers["Content-Type"] == "application/manifest+json"
    assert manifest["shortcuts"][0]["name"] == name
    assert (manifest["short_name"], manifest["lang"]) == ("Kept", language if language != "xx" else "en")


async def test_the_reason_of_a_failure_is_translated(running: RunningKept, reader: Person) -> None:
    assert reader.user is not None
    failed = tuple(page for page in PAGES if page.failure is not None)[:1]
    [item_id] = await stock(running.kept.database, running.kept.blobs, reader.user.id, failed)
    english = (await reader.get(f"/history/{item_id}", Accept="text/html")).body.decode()
    german = (await reader.get(f"/history/{item_id}", **GERMAN)).body.decode()
    [reason] = re.findall(r'role="alert">(.*?)</p>', english)
    assert reason
    assert reason not in german


async def test_what_is_wrong_with_an_imported_file_is_translated(running: RunningKept, reader: Person) -> None:
    assert reader.user is not None
    kept, viewer = running.kept, Viewer(reader.user, frozenset(Scope))
    links = FileToImport(io.BytesIO(b"https://example.org/\nftp://example.org/a\n"), "links.txt")
    other = FileToImport(io.BytesIO(b"https://example.org/\n"), "links.txt", format="wallabag")
    pages = []
    for file in (links, other):
        made = await start_import(kept.importer, viewer, file, enqueue=False, now=kept.now())
        await advance_import(kept.importer, made.id, Slice())
        pages.append((await reader.get(f"/import/{made.id}", **GERMAN)).body.decode())
    assert "Das ist keine Webseite: URLs mit ftp: können nicht abgerufen werden." in pages[0]
    assert "Diese Datei sieht nicht wie eine von wallabag (JSON) aus." in pages[1]
