"""Highlights that come with a file: kept at once, found in the article when there is one."""

import json
from pathlib import Path
from typing import Any

import pytest

from kept.clock import utc_now
from kept.content.import_formats.prepare_rows import PreparedLink
from kept.domain import highlight
from kept.domain.failures import FailureCode
from kept.domain.highlight import Colour, Highlight
from kept.domain.imported import FolderUse
from kept.storage.database.engine import Database
from kept.subprocesses.imports import FileToRead
from support.builders import uploaded_files as files
from support.builders.articles import fail
from support.builders.highlights import anchor_waiting, list_on
from support.builders.importing import ImportingOwner, make_importing_owner

pytestmark = pytest.mark.requirement("Kept", "imports bring highlights, also before their article exists")

HEADER = "Highlight,Title,Author,URL,Note,Location,Date\n"


@pytest.fixture
def owner(database: Database, tmp_path: Path) -> ImportingOwner:
    return make_importing_owner(database, tmp_path)


def marked(owner: ImportingOwner, url: str) -> list[Highlight]:
    return list_on(owner, owner.cards()[url].media.id)


def annotated(*highlights: dict[str, Any]) -> bytes:
    """Pocket's zip with these, and no others."""
    pages = [{"url": "https://example.com/b", "title": "B", "highlights": list(highlights)}]
    return files.zipped({"part_000000.csv": files.POCKET_CSV, "annotations/part_000000.json": json.dumps(pages)})


@pytest.mark.parametrize(
    ("example", "url", "quotes"),
    [
        ("pocket zip", "https://example.com/b", ["A fine sentence."]),
        ("instapaper", "https://example.com/2", ['A marked "line".']),
        ("raindrop", "https://example.com/book/", ["First line.", "Second"]),
        ("omnivore", "https://example.com/o", ["A fine sentence.", "Paragraph 1\nof the article", "Paragraph 2"]),
        ("wallabag", "https://example.com/w", ["marked"]),
        ("readwise highlights", "https://example.com/h", ["First words.\n\nMore of them.", "-5 degrees"]),
        ("readwise export", "https://example.com/h", ["First words."]),
        ("karakeep", "https://example.com/k", ["First", "Second"]),
        ("linkwarden", "https://example.com/lw", ["marked"]),
        ("readeck zip", "https://example.com/initial", ["marked words"]),
        ("annotations", "https://example.com/h", ["marked words"]),
    ],
)
async def test_highlights_come_as_highlights_and_not_as_notes(
    owner: ImportingOwner, example: str, url: str, quotes: list[str]
) -> None:
    progress = await owner.run(files.EXAMPLES[example][1])
    found = marked(owner, url)
    assert sorted(highlight.quote.exact for highlight in found) == sorted(quotes)
    assert {(highlight.span, highlight.anchored_version) for highlight in found} == {(None, None)}
    note = owner.cards()[url].item.note or ""
    assert not any(quote in note for quote in quotes)
    assert (progress.found.report or {})["highlights"] >= len(quotes)


async def test_highlights_of_a_page_with_an_article_are_found_in_it(owner: ImportingOwner) -> None:
    card = await owner.keep("https://example.com/b", "B", "Words before. A fine  sentence. And others.")
    await owner.run(annotated({"quote": "A fine\nsentence.", "created_at": 1466600000}))
    assert await anchor_waiting(owner.database) == 1
    [highlight] = list_on(owner, card.media.id)
    assert highlight.span is not None
    assert (highlight.span.start, highlight.colour) == (14, Colour.YELLOW)


async def test_importing_a_file_again_adds_no_highlights(owner: ImportingOwner) -> None:
    await owner.keep("https://example.com/h", "H", "the marked words here and more")
    for _ in range(2):
        for example in ("annotations", "readwise highlights"):
            await owner.run(files.EXAMPLES[example][1])
            await anchor_waiting(owner.database)
    assert len(marked(owner, "https://example.com/h")) == 3


async def test_highlights_of_one_page_in_several_rows_and_libraries_are_together(owner: ImportingOwner) -> None:
    row = "Words {n},T,,https://example.com/{page},,,2020-10-05\n"
    rows = [row.format(n=number, page=number % 2) for number in range(6)]
    progress = await owner.run(HEADER + "".join(rows))
    assert (progress.counts.imported, progress.found.rows_total) == (2, 2)
    assert len(marked(owner, "https://example.com/1")) == 3


async def test_a_page_gets_no_more_than_a_page_may_have(owner: ImportingOwner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "MAX_PER_MEDIA", 50)
    quotes = [{"quote": f"Words {number}"} for number in range(70)]
    await owner.run(annotated(*quotes))
    await owner.run(annotated({"quote": "One more"}))
    assert len(marked(owner, "https://example.com/b")) == 50


async def test_highlights_go_along_when_an_article_stands_for_a_page_that_could_not_be_kept(
    owner: ImportingOwner,
) -> None:
    card = await owner.save("https://example.com/w")
    await owner.run(HEADER + "Paragraph 3,T,,https://example.com/w,,,2020-10-05\n")
    fail(owner.database, card.media.id, FailureCode.FETCH_FAILED)
    await owner.run(files.EXAMPLES["wallabag"][1])
    assert owner.cards()["https://example.com/w"].media.id != card.media.id
    assert {each.quote.exact for each in marked(owner, "https://example.com/w")} == {"Paragraph 3", "marked"}


async def test_a_highlight_counts_as_a_row_of_what_is_written_at_once(owner: ImportingOwner, tmp_path: Path) -> None:
    row = "Words {n},T,,https://example.com/{page},,,2020-10-05\n"
    path = tmp_path / "highlights.csv"
    path.write_text(HEADER + "".join(row.format(n=number, page=number // 30) for number in range(300)))
    with path.open("rb") as stream:
        async with owner.importer.readers.start(stream) as reader:
            await reader.open(FileToRead(stream, path.name, None, FolderUse.TAGS, utc_now()))
            rows = await reader.next_rows(50)
    assert [len(row.highlights) for row in rows if isinstance(row, PreparedLink)] == [30, 30]


async def test_nobody_else_gets_them(owner: ImportingOwner, tmp_path: Path) -> None:
    bob = make_importing_owner(owner.database, tmp_path, "bob")
    await bob.save("https://example.com/b")
    await owner.run(files.pocket_zip())
    assert list_on(bob, owner.cards()["https://example.com/b"].media.id) == []
