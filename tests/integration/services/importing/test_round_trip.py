"""Export, an empty instance, import: everything is as it was."""

import io
import json
import re
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from kept.content.export_formats.kept_file import MANIFEST
from kept.domain.capture import CaptureFormat
from kept.domain.importing import Counts
from kept.domain.job import Queue
from kept.storage import captures, highlights, sync, tables
from kept.storage.database.engine import Database
from kept.subprocesses.extraction import ExtractorPool
from support.builders.articles import ingest
from support.builders.highlights import anchor_waiting, post_highlight
from support.builders.importing import upload_import, work_off_imports
from support.builders.libraries import fill_library
from support.builders.page_files import SECRET, mhtml, page, upload_page
from support.builders.saved_documents import page_about, pdf_of, upload_file
from support.fixtures.databases import copy_postgres, copy_sqlite
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import PATIENT, Person, RunningKept, run_kept, settings_reaching
from support.servers.working import run_worker

IMAGE = re.compile(r"/api/images/([0-9a-f-]{36})")


@pytest.fixture
async def source(sqlite_template: Path, tmp_path: Path, origin: Origin) -> AsyncIterator[RunningKept]:
    folder = tmp_path / "source"
    folder.mkdir()
    async with run_kept(
        settings_reaching(origin, copy_sqlite(sqlite_template, folder), folder, limits=PATIENT, render="never")
    ) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
async def target(
    request: pytest.FixtureRequest, sqlite_template: Path, tmp_path: Path, origin: Origin
) -> AsyncIterator[RunningKept]:
    folder = tmp_path / "target"
    folder.mkdir()
    if request.param == "sqlite":
        url = copy_sqlite(sqlite_template, folder)
    else:
        server = request.getfixturevalue("postgres_server")
        url = copy_postgres(server, request.getfixturevalue("postgres_template"))
    async with run_kept(settings_reaching(origin, url, folder, limits=PATIENT, render="never")) as running:
        yield running


async def bring(running: RunningKept, person: Person, data: bytes, extractors: ExtractorPool) -> Counts:
    """By the API, and then as a worker does it."""
    made = await upload_import(person, data, "?file_name=kept.zip")
    assert made.status == 202, made.body
    await work_off_imports(running)
    done = (await person.get(f"/api/v1/imports/{made.data['id']}")).data
    assert (done["state"], done["format"]) == ("done", "kept"), done
    async with run_worker(running, extractors) as worker:
        await worker.without_browser().work_off(Queue.INGEST)
    await anchor_waiting(running.kept.database)
    counts = Counts(**{name: done[name] for name in ("imported", "already_there", "rejected")})
    assert counts == Counts(**{name: done["report"][name] for name in ("imported", "already_there", "rejected")})
    return counts


async def export(person: Person) -> bytes:
    answer = await person.get("/api/v1/export?format=json")
    assert answer.status == 200
    return answer.body


async def describe(person: Person) -> dict[tuple[str, str], Any]:
    """All that a person sees, by library and address, with what differs between instances replaced by what it means."""
    shown = {}
    for library in (await person.get("/api/v1/libraries")).data:
        for item in (await person.get(f"/api/v1/items?library_id={library['id']}&limit=100")).data:
            shown[library["name"], item["url"]] = await describe_item(person, item)
    return shown


WORDS = ("url", "own_title", "own_excerpt", "note", "tags", "created_at", "updated_at", "reading")
PAGE = ("title", "excerpt", "byline", "site_name", "lang", "published_at", "preview_image_url", "word_count")


async def describe_item(person: Person, item: Any) -> Any:
    seen = {name: item[name] for name in (*WORDS, *PAGE, "processing_status")}
    fragments = await person.get(f"/api/v1/media/{item['media_id']}/fragments")
    if fragments.status == 200:
        [fragment] = fragments.data["fragments"]
        ids = IMAGE.findall(fragment["html_sanitized"])
        seen["pictures"] = [(await person.get(f"/api/images/{image_id}")).body for image_id in ids[:2]]
        seen["html"] = IMAGE.sub("picture", fragment["html_sanitized"])
        seen["text"] = (await person.get(f"/api/v1/items/{item['id']}/article.md")).body.decode()
        seen["thumbnail"] = (await person.get(f"/api/v1/items/{item['id']}/thumbnail")).body if ids else None
    return seen


async def test_everything_comes_back_as_it_was(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann = await source.make_person("ann")
    library = await fill_library(source, ann, origin)
    eve = await target.make_person("eve")
    data = await export(ann)
    counts = await bring(target, eve, data, extractors)
    assert (counts.imported, counts.already_there, counts.rejected) == (4, 0, 1)
    before, after = await describe(ann), await describe(eve)
    # Not of the web: it is in the list of rejected rows. Not kept before: it is fetched anew.
    odd, failed = ("My library", "javascript:alert(1)"), ("My library", library.failed["url"])
    assert before.keys() - {odd} == after.keys()
    assert before[failed]["note"] == after[failed]["note"]
    for key in before.keys() - {odd, failed}:
        assert after[key] == before[key]
    article = after["My library", library.article["url"]]
    assert len(article["pictures"][0]) > 50
    assert len(article["thumbnail"]) > 50
    assert article["reading"]["read_at"] == library.article["reading"]["read_at"]
    # the two libraries share one page, as before
    media = {item["url"]: item["media_id"] for item in (await eve.get("/api/v1/items")).data}
    [team] = [library for library in (await eve.get("/api/v1/libraries")).data if not library["is_default"]]
    [ours] = (await eve.get(f"/api/v1/items?library_id={team['id']}")).data
    assert ours["media_id"] == media[library.article["url"]]
    assert without_ids(await export(eve), {odd[1], failed[1]}) == without_ids(data, {odd[1], failed[1]})


def without_ids(data: bytes, left_out: set[str]) -> list[Any]:
    """Every line of an export and every file it names, without what is of one instance alone."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    manifest = json.loads(archive.read(MANIFEST))
    names = {library["id"]: library["name"] for library in manifest["libraries"]}
    lines = []
    for line in archive.read(manifest["items"]["files"][0]).splitlines():
        said = json.loads(line)
        if said["url"] in left_out:
            continue
        said["library"] = names[said["library"]]
        said["article"]["file"] = archive.read(said["article"]["file"])
        said["highlights"] = archive.read(said["highlights"]) if said["highlights"] else None
        said["screenshot"] = archive.read(said["screenshot"]) if said["screenshot"] else None
        images = [(image["origin_url"], image["file"] and archive.read(image["file"])) for image in said["images"]]
        said["images"] = sorted(images, key=lambda image: str(image[0]))
        for name in ("id", "media"):
            del said[name]
        # a file proves nothing about a page, so that a copy from one has no canonical address
        for name in ("canonical_url", "kept_at", "enrichment_status"):
            del said["page"][name]
        lines.append(said)
    return sorted(lines, key=lambda said: (said["library"], said["url"]))


async def test_a_second_import_of_the_same_file_finds_everything_there(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann, eve = await source.make_person("ann"), await target.make_person("eve")
    await fill_library(source, ann, origin)
    data = await export(ann)
    await bring(target, eve, data, extractors)
    before = await describe(eve)
    counts = await bring(target, eve, data, extractors)
    assert (counts.imported, counts.already_there, counts.rejected) == (0, 4, 1)
    assert await describe(eve) == before


REPEATED = (
    "<p>Say it again.</p><p>Say it again.</p><p>Say it again.</p>" * 3 + "<p>Then <b>bo</b>ld words, at last.</p>"
)
TOLD = ("exact", "prefix", "suffix", "start", "end", "colour", "note", "created_at", "updated_at")


async def list_highlights(person: Person, media_id: str) -> list[Any]:
    found = (await person.get(f"/api/v1/media/{media_id}/highlights")).data
    return [{name: each[name] for name in TOLD} for each in found]


@pytest.mark.requirement("Kept", "highlights come back from the complete export without loss")
async def test_highlights_come_back_to_their_places(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    """Also where several places have the same words around them, and where they were not found in this copy."""
    ann, eve = await source.make_person("ann"), await target.make_person("eve")
    item = await ann.save(origin.url("/page"), wait=False)
    ingest(source.kept.database, item["media_id"], REPEATED, base_url=origin.url("/page"))
    for hint in (0, 60, 90):
        await post_highlight(ann, item["media_id"], "Say it again.", hint=hint, note=f"at {hint}", colour="green")
    changed = await post_highlight(ann, item["media_id"], "bold words,\n", colour="blue")
    await ann.patch(f"/api/v1/highlights/{changed['id']}", {"note": "Two\n\nparagraphs & <b>"})
    lost = await post_highlight(ann, item["media_id"], "at last", colour="red")
    forget_place(source.kept.database, lost["id"])
    before = await list_highlights(ann, item["media_id"])
    assert len({each["start"] for each in before}) == 5
    await bring(target, eve, await export(ann), extractors)
    [brought] = (await eve.get("/api/v1/items")).data
    assert await list_highlights(eve, brought["media_id"]) == before
    await bring(target, eve, await export(ann), extractors)
    assert await list_highlights(eve, brought["media_id"]) == before


def forget_place(database: Database, highlight_id: str) -> None:
    """As of a highlight whose words another copy had not."""
    with writing(database) as tx:
        gone = {"start_offset": None, "end_offset": None, "quote": "words of another copy altogether"}
        highlights.update_highlight(tx, UUID(highlight_id), **gone)


@pytest.mark.requirement("Kept", "highlights come back from the complete export without loss")
async def test_highlights_of_an_older_copy_stay_with_it(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann, eve = await source.make_person("ann"), await target.make_person("eve")
    item = await ann.save(origin.url("/page"), wait=False)
    first = item["media_id"]
    ingest(source.kept.database, first, "<p>The first copy of it.</p>", base_url=origin.url("/page"))
    [copy, *_] = (await ann.post(f"/api/v1/items/{item['id']}/recapture")).data
    ingest(source.kept.database, copy["media_id"], "<p>The second copy of it.</p>", base_url=origin.url("/page"))
    await post_highlight(ann, first, "copy of")
    await post_highlight(ann, copy["media_id"], "second")
    await bring(target, eve, await export(ann), extractors)
    [shown] = (await eve.get("/api/v1/items")).data
    copies = (await eve.get(f"/api/v1/items/{shown['id']}/copies")).data
    found = {each["is_current"]: await list_highlights(eve, each["media_id"]) for each in copies}
    assert {current: [each["exact"] for each in marked] for current, marked in found.items()} == {
        True: ["second"],
        False: ["copy of"],
    }


async def test_older_copies_come_back_beside_the_newer_one(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann, eve = await source.make_person("ann"), await target.make_person("eve")
    item = await ann.save(origin.url("/page"), wait=False)
    ingest(source.kept.database, item["media_id"], "<p>The first copy.</p>", base_url=origin.url("/page"))
    [copy, *_] = (await ann.post(f"/api/v1/items/{item['id']}/recapture")).data
    ingest(source.kept.database, copy["media_id"], "<p>The second copy.</p>", base_url=origin.url("/page"))
    counts = await bring(target, eve, await export(ann), extractors)
    assert (counts.imported, counts.rejected) == (2, 0)
    [shown] = (await eve.get("/api/v1/items")).data
    copies = (await eve.get(f"/api/v1/items/{shown['id']}/copies")).data
    texts = []
    for each in copies:
        [fragment] = (await eve.get(f"/api/v1/media/{each['media_id']}/fragments")).data["fragments"]
        texts.append(fragment["html_sanitized"])
    assert sorted(texts) == ["<p>The first copy.</p>", "<p>The second copy.</p>"]
    assert [each["media_id"] for each in copies if each["is_current"]] == [shown["media_id"]]


async def test_what_comes_with_a_file_is_private_and_made_safe_and_a_forged_file_harms_nobody(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann, eve, bob = (
        await source.make_person("ann"),
        await target.make_person("eve"),
        await target.make_person("bob"),
    )
    await fill_library(source, ann, origin)
    forged = forge(await export(ann))
    await bring(target, eve, forged, extractors)
    shown = {item["url"]: item for item in (await eve.get("/api/v1/items")).data}
    [item] = [item for url, item in shown.items() if url.endswith("/article")]
    [fragment] = (await eve.get(f"/api/v1/media/{item['media_id']}/fragments")).data["fragments"]
    assert "Forged" in fragment["html_sanitized"]
    assert "<script" not in fragment["html_sanitized"]
    assert item["preview_image_url"] is None  # javascript: is no picture
    with reading(target.kept.database) as tx:
        found = tx.execute(select(tables.media).where(tables.media.c.id == UUID(item["media_id"]))).one()
        blobs = tx.execute(select(tables.image_assets.c.blob_key)).scalars().all()
    assert (found.is_private, found.canonical_url) == (True, None)
    assert set(blobs) == {None}  # what called itself a picture was none
    bobs = await bob.save(item["url"], wait=False)
    assert bobs["media_id"] != item["media_id"]


def forge(data: bytes) -> bytes:
    """The same export, as somebody would write it who means harm."""
    archive, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith("article.html"):
                content = b"<article><p>Forged<script>alert(1)</script></p></article><img src=x></article>"
            elif name.endswith((".png", ".avif", ".webp")):
                content = b"<svg onload=alert(1)>"
            elif name.startswith("items-"):
                content = re.sub(rb'"preview_image_url":"[^"]*"', b'"preview_image_url":"javascript:alert(1)"', content)
                content = content.replace(b'"progress":0.25', b'"progress":NaN') + b"not json\n[]\n" + b'{"url":1}\n'
            target.writestr(name, content)
    return out.getvalue()


async def list_apps_numbers(person: Person) -> dict[str, Any]:
    """What apps call entries, tags and annotations."""
    entries = (await person.get("/wallabag/api/entries")).json["_embedded"]["items"]
    return {
        "entries": {entry["url"]: entry["id"] for entry in entries},
        "tags": {tag["label"]: tag["id"] for tag in (await person.get("/wallabag/api/tags")).json},
        "annotations": {one["quote"]: one["id"] for entry in entries for one in entry["annotations"]},
    }


async def test_apps_find_items_tags_and_highlights_under_the_numbers_they_know(
    source: RunningKept, target: RunningKept, origin: Origin, extractors: ExtractorPool
) -> None:
    ann = await source.make_person("ann")
    with writing(source.kept.database) as tx:  # so that none of its numbers is used on the other server
        sync.advance(tx, 50_000)
    for name in ("a", "b", "c", "d"):
        await ann.post("/wallabag/api/entries", {"url": f"https://example.org/{name}", "tags": f"tag-{name}"})
    listed = (await ann.get("/wallabag/api/entries?order=asc")).json["_embedded"]["items"]
    await ann.delete(f"/wallabag/api/entries/{listed[0]['id']}")
    page = await ann.save(origin.url("/page"), wait=False)
    ingest(source.kept.database, page["media_id"], REPEATED, base_url=origin.url("/page"))
    await post_highlight(ann, page["media_id"], "bold words,\n")
    known = await list_apps_numbers(ann)
    assert len(known["annotations"]) == 1
    reader = await target.make_person("ann")
    mine = (await reader.post("/wallabag/api/entries", {"url": "https://mine.example/", "tags": "tag-d"})).json
    await bring(target, reader, await export(ann), extractors)
    there = await list_apps_numbers(reader)
    assert there["entries"] == known["entries"] | {mine["url"]: mine["id"]}
    assert there["tags"] == known["tags"] | {"tag-d": mine["tags"][0]["id"]}  # what is there keeps its own
    assert there["annotations"] == known["annotations"]
    added = (await reader.post("/wallabag/api/entries", {"url": "https://example.org/e"})).json
    assert added["id"] > max(number for some in known.values() for number in some.values())


async def test_whole_pages_come_along_and_are_made_static_anew(
    source: RunningKept, target: RunningKept, extractors: ExtractorPool
) -> None:
    ann, bob = await source.make_person("ann"), await target.make_person("bob")
    item = (await upload_page(ann, mhtml(page('<p onclick="alert(1)">x</p>')))).data
    async with run_worker(source, extractors) as worker:
        await worker.without_browser().work_off(Queue.INGEST)
    with reading(source.kept.database) as tx:
        static = captures.find_capture(tx, UUID(item["media_id"]), CaptureFormat.HTML)
    assert static is not None
    await source.kept.blobs.put(static.blob_key, b"<html><script>alert(1)</script>", "text/html")  # as a forger would
    await bring(target, bob, await export(ann), extractors)
    [brought] = (await bob.get("/api/v1/items")).data
    there = (await bob.get(f"/api/v1/items/{brought['id']}/captures")).data["captures"]
    assert {one["format"] for one in there} == {"html", "mhtml"}
    html = (await bob.get(f"/api/v1/items/{brought['id']}/page.html")).body.decode()
    assert SECRET in html
    assert "alert" not in html


async def test_documents_come_along_with_their_files_pages_and_highlights(
    source: RunningKept, target: RunningKept, extractors: ExtractorPool
) -> None:
    ann, bob = await source.make_person("ann"), await target.make_person("bob")
    pdf, locked = pdf_of(page_about("lighthouse"), page_about("ferry")), pdf_of("Secret", password="x")
    read = (await upload_file(ann, pdf, "report.pdf")).data
    await upload_file(ann, locked, "locked.pdf")
    async with run_worker(source, extractors) as worker:
        await worker.without_browser().work_off(Queue.INGEST)
    marked = {"exact": "nobody speaks of the ferry", "colour": "green"}
    assert (await ann.post(f"/api/v1/media/{read['media_id']}/highlights", marked)).status == 201
    await bring(target, bob, await export(ann), extractors)
    items = {item["processing_status"]: item for item in (await bob.get("/api/v1/items")).data}
    assert {status: item["kind"] for status, item in items.items()} == {"ready_for_reading": "pdf", "failed": "pdf"}
    files = {name: f"/api/v1/items/{item['id']}/document/file" for name, item in items.items()}
    assert (await bob.get(files["ready_for_reading"])).body == pdf
    assert (await bob.get(files["failed"])).body == locked
    assert [one["page"] for one in (await bob.get("/api/v1/search?q=ferry")).data] == [2]
    back = items["ready_for_reading"]
    [highlight] = (await bob.get(f"/api/v1/media/{back['media_id']}/highlights")).data
    assert (highlight["exact"], highlight["colour"]) == ("nobody speaks of the ferry", "green")
    assert "ferry" in (await bob.get(f"/api/v1/items/{back['id']}/article.md")).body.decode()
