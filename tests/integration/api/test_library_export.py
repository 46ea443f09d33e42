"""Whole libraries as files: for who may see them, complete, and nothing of anybody else's."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import insert, update

from kept.content.images.format import ImageFormat, sniff_image
from kept.ids import new_id
from kept.services.exporting.scope import PAGE
from kept.storage import tables
from support.builders.articles import ingest
from support.builders.libraries import HOSTILE_TITLE, FullLibrary, fill_library
from support.builders.rows import AT, insert_media
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import writing
from support.servers.origin import Origin
from support.servers.serving import Answer, Person, RunningKept

pytestmark = on_both_databases


@pytest.fixture
async def library(saving: RunningKept, ann: Person, origin: Origin) -> FullLibrary:
    return await fill_library(saving, ann, origin)


async def take(person: Person, to: str, **query: str) -> Answer:
    asked = "".join(f"&{name}={value}" for name, value in query.items())
    answer = await person.get(f"/api/v1/export?format={to}{asked}")
    assert answer.status == 200, answer.body
    assert answer.headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''kept-")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert answer.headers["Cache-Control"] == "no-store"
    return answer


def open_zip(answer: Answer) -> zipfile.ZipFile:
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    assert archive.testzip() is None
    for name in archive.namelist():
        parts = name.split("/")
        assert not name.startswith("/")
        assert not {"", ".", ".."} & set(parts)
        assert "\\" not in name
        assert all(len(part.encode()) < 255 for part in parts)
    return archive


def read_lines(archive: zipfile.ZipFile) -> list[Any]:
    files = json.loads(archive.read("kept.json"))["items"]["files"]
    return [json.loads(line) for name in files for line in archive.read(name).splitlines()]


async def test_kepts_own_export_has_everything_one_sees(saving: RunningKept, ann: Person, library: FullLibrary) -> None:
    archive = open_zip(await take(ann, "json"))
    manifest, lines = json.loads(archive.read("kept.json")), read_lines(archive)
    assert (manifest["format"], manifest["version"], manifest["items"]["count"]) == ("kept-export", 1, len(lines))
    assert [each["name"] for each in manifest["libraries"]][1:] == ["Team: α/β"]
    mine = {line["id"]: line for line in lines}
    assert len(lines) == 5
    line = mine[library.article["id"]]
    shown = library.article
    for name in ("url", "note", "tags", "reading"):
        assert line[name] == shown[name]
    assert line["title"] == "Über: Trees & Birds"
    assert line["page"]["title"] == "The page"
    assert line["created_at"] == shown["created_at"]
    files = {image["origin_url"].rpartition("/")[2]: image["file"] for image in line["images"]}
    assert files["gone.png"] is None
    kinds = {name: sniff_image(archive.read(files[name])) for name in ("a.png", "b.avif")}
    assert kinds == {"a.png": ImageFormat.PNG, "b.avif": ImageFormat.AVIF}
    assert sniff_image(archive.read(line["screenshot"])) is ImageFormat.WEBP
    assert b"Part &amp; whole" in archive.read(line["article"]["file"])
    assert b"default-src 'none'" in archive.read(line["article"]["file"])
    assert mine[library.failed["id"]]["page"]["failure_code"] == "E_FETCH_FAILED"
    assert mine[library.odd["id"]]["page"]["processing_status"] == "invalid_url"
    named = {name for line in lines for name in files_of(line)} | {"kept.json", "items-0001.jsonl"}
    assert named == set(archive.namelist())
    assert len(archive.namelist()) == len(set(archive.namelist()))


def files_of(line: Any) -> set[str]:
    found = {image["file"] for image in line["images"]} | {line["screenshot"]}
    return {name for name in found | {(line["article"] or {}).get("file")} if name}


async def test_one_library_alone_and_only_for_its_members(
    saving: RunningKept, ann: Person, library: FullLibrary
) -> None:
    bob, eve = await saving.make_person("bob"), await saving.make_person("eve")
    await ann.post(f"/api/v1/libraries/{library.team['id']}/members", {"user_name": "bob"})
    [line] = read_lines(open_zip(await take(bob, "json", library_id=library.team["id"])))
    assert (line["title"], line["tags"], line["note"]) == ("Ours", ["ours"], None)
    assert line["reading"]["is_favourite"] is False  # ann's is ann's
    assert read_lines(open_zip(await take(eve, "json"))) == []
    for to in ("json", "html", "csv", "epub", "folder"):
        hidden = await eve.get(f"/api/v1/export?format={to}&library_id={library.team['id']}")
        absent = await eve.get(f"/api/v1/export?format={to}&library_id={uuid4()}")
        assert (hidden.status, absent.status) == (404, 404)
        assert hidden.json["error"] | {"request_id": ""} == absent.json["error"] | {"request_id": ""}
    assert (await saving.nobody.get("/api/v1/export")).status == 401
    assert (await ann.get("/api/v1/export?format=exe")).status == 400


async def test_nothing_of_anybody_elses_is_in_it(saving: RunningKept, ann: Person, library: FullLibrary) -> None:
    """Eve saves the page later: she gets it whole, without ann's words, private link, or times from before."""
    eve = await saving.make_person("eve")
    with writing(saving.kept.database) as tx:
        private = {"source_url": "https://e.org/secret-token", "metadata": {"secret": "inside"}}
        own = tables.media.c.id == UUID(library.article["media_id"])
        earlier = saving.kept.now() - timedelta(days=3)
        tx.execute(update(tables.media).where(own).values(fetched_at=earlier, created_at=earlier, **private))
    await eve.save(library.article["url"])
    archive = open_zip(await take(eve, "json"))
    [line] = read_lines(archive)
    assert line["page"]["kept_at"] is None
    assert line["article"] is not None
    everything = b"".join(archive.read(name) for name in archive.namelist()).decode(errors="replace")
    for secret in ("secret", "Über", "mine", "Ours", "ann", f"{earlier:%Y-%m-%d}", library.article["id"]):
        assert secret not in everything


async def test_a_newer_copy_that_only_somebody_else_has_is_not_told(
    saving: RunningKept, ann: Person, library: FullLibrary
) -> None:
    eve = await saving.make_person("eve")
    await eve.save(library.article["url"])
    [copy, *_] = (await ann.post(f"/api/v1/items/{library.article['id']}/recapture")).data
    assert [line["newer_copy"] for line in read_lines(open_zip(await take(eve, "json")))] == [None]
    lines = read_lines(open_zip(await take(ann, "json")))
    assert copy["media_id"] in {line["newer_copy"] for line in lines}
    assert copy["media_id"] in {line["media"] for line in lines}


async def test_bookmarks_and_tables_list_every_item(saving: RunningKept, ann: Person, library: FullLibrary) -> None:
    page = LexborHTMLParser((await take(ann, "html")).body.decode())
    assert not page.css("script, img")
    assert sorted(link.attributes["href"] or "" for link in page.css("a")) == sorted(
        [library.article["url"], library.article["url"], library.hostile["url"], library.failed["url"]]
    )
    assert "Odd (javascript:alert(1))" in page.html  # type: ignore[operator]
    text = (await take(ann, "csv")).body.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 5
    notes = {row["note"] for row in rows}
    assert notes == {"'=mine\nin two lines", "'@later", ""}
    assert {row["library"] for row in rows} == {"My library", "Team: α/β"}


async def test_a_book_has_every_article_once(saving: RunningKept, ann: Person, library: FullLibrary) -> None:
    book = open_zip(await take(ann, "epub"))
    pages = [book.read(name).decode() for name in book.namelist() if name.startswith("EPUB/article-")]
    assert len(pages) == 2
    assert sorted("Harmless." in page for page in pages) == [False, True]
    pictures = [name for name in book.namelist() if name.startswith("EPUB/images/")]
    assert sorted(name.rpartition(".")[2] for name in pictures) == ["jpg", "png"]
    assert not any("<script" in page for page in pages)


async def test_a_folder_has_a_page_for_each_article_that_needs_nothing_else(
    saving: RunningKept, ann: Person, library: FullLibrary
) -> None:
    archive = open_zip(await take(ann, "folder"))
    index = LexborHTMLParser(archive.read("index.html").decode())
    files = [name for name in archive.namelist() if name != "index.html"]
    assert len(files) == 3
    assert {name.partition("/")[0] for name in files} == {"my-library", "team-α-β"}
    links = [link.attributes["href"] or "" for link in index.css("a")]
    assert sum(link.endswith(".html") for link in links) == 3
    for name in files:
        text = archive.read(name).decode()
        assert "default-src 'none'; img-src data:;" in text
        assert ' src="http' not in text
        assert "<script" not in text
    assert HOSTILE_TITLE[:20] not in "".join(files)


async def test_more_items_than_fit_into_a_page_are_all_there(saving: RunningKept, ann: Person) -> None:
    number = 2 * PAGE + 3
    [library] = (await ann.get("/api/v1/libraries")).data
    with writing(saving.kept.database) as tx:
        rows = []
        for each in range(number):
            media_id = insert_media(tx, source_url=f"https://example.org/{each}")
            # all of one moment, as an import writes them: only their ids tell them apart
            row = {
                "id": new_id(),
                "library_id": UUID(library["id"]),
                "media_id": media_id,
                "url": f"https://e.org/{each}",
            }
            rows.append(row | {"created_at": AT, "updated_at": AT})
        tx.execute(insert(tables.items), rows)
    lines = read_lines(open_zip(await take(ann, "json")))
    assert {line["url"] for line in lines} == {f"https://e.org/{each}" for each in range(number)}
    assert len(lines) == number
    assert len((await take(ann, "csv")).body.splitlines()) == number + 1


async def test_the_account_page_offers_it_without_scripts(
    saving: RunningKept, ann: Person, library: FullLibrary
) -> None:
    page = LexborHTMLParser((await ann.get("/account", Accept="text/html")).body.decode())
    [form] = page.css('form[action="/export"]')
    formats = [option.attributes["value"] for option in form.css('select[name="format"] option')]
    libraries = [option.attributes["value"] for option in form.css('select[name="library"] option')]
    assert formats == [
        *("json", "html", "csv", "epub", "folder"),
        *("highlights-markdown", "highlights-csv", "highlights-json"),
    ]
    assert libraries[0] in ("", None)
    for chosen in ("", library.team["id"]):
        answer = await ann.get(f"/export?library={chosen}&format=csv")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert (await ann.get(f"/export?library={uuid4()}&format=csv")).status == 404


async def test_a_reader_who_goes_away_leaves_nothing_open(saving: RunningKept, ann: Person, origin: Origin) -> None:
    """And the next one gets it all: no connection to the database stays taken."""
    item = await ann.save(origin.url("/long"), wait=False)
    ingest(saving.kept.database, item["media_id"], "<p>x</p>" * 200_000, base_url=origin.url("/long"))
    for _ in range(6):
        async with aiohttp.ClientSession() as session:
            headers = {"Authorization": f"Bearer {ann.token}"}
            answer = await session.get(f"{saving.address}/api/v1/export?format=folder", headers=headers)
            await answer.content.read(10)
            answer.close()
    assert len(open_zip(await take(ann, "folder")).namelist()) == 2
