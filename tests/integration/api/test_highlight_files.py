"""Highlights as files: one's own and nobody else's, of one page and of all."""

import csv
import io
import json
import zipfile
from typing import Any
from uuid import UUID
from xml.etree import ElementTree

import pytest

from kept.storage import media
from support.builders.articles import ingest
from support.builders.highlights import post_highlight
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = [
    on_both_databases,
    pytest.mark.requirement("Kept", "highlights as files: Markdown, Readwise's CSV, W3C annotations"),
]

HTML = "<p>The first words of it.</p><ul><li>One point</li><li>Another point</li></ul>"
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
async def item(saving: RunningKept, ann: Person, bob: Person, origin: Origin) -> Any:
    """An article of a library that ann and bob share; both marked something in it."""
    library = (await ann.post("/api/v1/libraries", {"name": "Team"})).data
    await ann.post(f"/api/v1/libraries/{library['id']}/members", {"user_name": "bob"})
    item = await ann.save(origin.url("/a"), wait=False, tags=["two words"], library_id=library["id"])
    await keep(saving, item["media_id"], origin.url("/a"))
    await post_highlight(ann, item["media_id"], "One point\nAnother", note="mine", colour="red")
    await post_highlight(ann, item["media_id"], "first words")
    await post_highlight(bob, item["media_id"], "of it", note="bob's thought")
    return item


async def keep(saving: RunningKept, media_id: str, url: str) -> None:
    ingest(saving.kept.database, media_id, HTML, base_url=url)
    with writing(saving.kept.database) as tx:
        media.update_media(tx, UUID(media_id), saving.kept.now(), title="A page")


async def test_html_and_epub_of_an_article_show_ones_own_highlights(ann: Person, item: Any) -> None:
    html = (await ann.get(f"/api/v1/items/{item['id']}/article.html")).body.decode()
    assert html.count("<mark ") == 3
    assert "first words</mark>" in html
    assert "<p>mine</p>" in html
    assert "thought" not in html
    book = zipfile.ZipFile(io.BytesIO((await ann.get(f"/api/v1/items/{item['id']}/article.epub")).body))
    page = ElementTree.fromstring(book.read("EPUB/article-000001.xhtml"))
    assert [mark.text for mark in page.iter(f"{XHTML}mark")] == ["first words", "One point", "Another"]


async def test_a_file_to_give_away_leaves_highlights_and_notes_out(ann: Person, item: Any) -> None:
    for extension in ("html", "epub"):
        answer = await ann.get(f"/api/v1/items/{item['id']}/article.{extension}?highlights=false")
        assert answer.status == 200
        assert b"<mark" not in answer.body
    plain = (await ann.get(f"/api/v1/items/{item['id']}/article.html?highlights=false")).body.decode()
    assert "mine" not in plain


async def test_a_books_and_a_folders_articles_show_them_too(ann: Person, item: Any) -> None:
    for to, name in (("epub", "EPUB/article-000001.xhtml"), ("folder", "my-library/000001-a-page.html")):
        archive = zipfile.ZipFile(io.BytesIO((await ann.get(f"/api/v1/export?format={to}")).body))
        [page] = [archive.read(found) for found in archive.namelist() if found == name]
        assert b"first words</mark>" in page
        assert b"thought" not in page


async def test_the_highlights_of_a_page_are_a_file(ann: Person, item: Any, origin: Origin) -> None:
    markdown = await ann.get(f"/api/v1/items/{item['id']}/highlights.md")
    assert (markdown.status, markdown.headers["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert markdown.headers["Content-Disposition"] == "attachment; filename*=UTF-8''a-page-highlights.md"
    text = markdown.body.decode()
    assert f"/read/{item['id']}#h-" in text
    assert "> first words\n" in text
    table = await ann.get(f"/api/v1/items/{item['id']}/highlights.csv")
    rows = list(csv.DictReader(io.StringIO(table.body.decode(), newline="")))
    assert [(row["Title"], row["URL"], row["Note"]) for row in rows] == [
        ("A page", origin.url("/a"), ""),
        ("A page", origin.url("/a"), "mine"),
    ]
    annotations = await ann.get(f"/api/v1/items/{item['id']}/highlights.json")
    assert annotations.headers["Content-Type"].startswith("application/ld+json")
    assert [each["target"]["styleClass"] for each in json.loads(annotations.body)["first"]["items"]] == [
        "yellow",
        "red",
    ]
    assert "thought" not in text + table.body.decode() + annotations.body.decode()


async def test_a_page_without_highlights_has_an_empty_file(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.url("/b"), wait=False)
    empty = await ann.get(f"/api/v1/items/{item['id']}/highlights.json")
    assert (empty.status, json.loads(empty.body)["first"]["items"]) == (200, [])
    assert (await ann.get(f"/api/v1/items/{item['id']}/highlights.exe")).status == 400


async def test_all_highlights_are_a_file_in_three_formats(ann: Person, item: Any, origin: Origin) -> None:
    """The page is in two libraries of hers, and in each file once."""
    await ann.save(origin.url("/unmarked"), wait=False)
    packed = await ann.get("/api/v1/export?format=highlights-markdown")
    assert packed.headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''kept-highlights-")
    archive = zipfile.ZipFile(io.BytesIO(packed.body))
    assert archive.namelist() == ["a-page.md"]
    assert "> first words\n" in archive.read("a-page.md").decode()
    table = await ann.get("/api/v1/export?format=highlights-csv")
    assert len(list(csv.DictReader(io.StringIO(table.body.decode(), newline="")))) == 2
    annotations = await ann.get("/api/v1/export?format=highlights-json")
    assert len(json.loads(annotations.body)["first"]["items"]) == 2


async def test_pages_of_one_title_have_files_of_their_own(
    saving: RunningKept, ann: Person, item: Any, origin: Origin
) -> None:
    other = await ann.save(origin.url("/c"), wait=False)
    await keep(saving, other["media_id"], origin.url("/c"))
    await post_highlight(ann, other["media_id"], "One point")
    archive = zipfile.ZipFile(io.BytesIO((await ann.get("/api/v1/export?format=highlights-markdown")).body))
    assert archive.namelist() == ["a-page.md", "a-page--2.md"]


async def test_the_complete_export_has_ones_own_highlights_and_no_marks_in_the_article(ann: Person, item: Any) -> None:
    archive = zipfile.ZipFile(io.BytesIO((await ann.get("/api/v1/export?format=json")).body))
    lines = [json.loads(line) for line in archive.read("items-0001.jsonl").splitlines()]
    assert {line["highlights"] for line in lines} == {f"media/{item['media_id']}/highlights.json"}
    found = json.loads(archive.read(lines[0]["highlights"]))["first"]["items"]
    assert [each["target"]["selector"][0]["exact"] for each in found] == ["first words", "One point\nAnother"]
    assert b"<mark" not in archive.read(lines[0]["article"]["file"])
