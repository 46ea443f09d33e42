"""Highlights as files: Markdown, Readwise's CSV and JSON of W3C annotations."""

import asyncio
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.content.export_formats import highlight_files
from kept.content.export_formats.article_file import make_file_name
from kept.content.export_formats.highlight_files import HighlightedPage
from kept.domain.account import Viewer
from kept.services.exporting.articles import ExportedFile, describe_highlights, read_highlights
from kept.services.exporting.scope import ExportScope, iterate_export
from kept.services.pages.cards import get_card
from kept.storage import highlights
from kept.storage.database.engine import Connection, Database
from kept.storage.exports import Selection


class HighlightFormat(StrEnum):
    MARKDOWN = "md"
    CSV = "csv"
    JSON = "json"


CONTENT_TYPES: Final = {
    HighlightFormat.MARKDOWN: "text/markdown; charset=utf-8",
    HighlightFormat.CSV: "text/csv; charset=utf-8",
    HighlightFormat.JSON: 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"',
}


async def export_highlights(
    database: Database, viewer: Viewer, item_id: UUID, to: HighlightFormat, *, base_url: str | None
) -> ExportedFile:
    """Write the highlights of one page as a file: Markdown, Readwise's CSV, or JSON of W3C annotations."""
    page = await database.read(_read, viewer, item_id, base_url)
    data = await asyncio.to_thread(_write, page, to)
    return ExportedFile(data, CONTENT_TYPES[to], f"{make_file_name(page.title)}-highlights.{to}")


def _read(tx: Connection, viewer: Viewer, item_id: UUID, base_url: str | None) -> HighlightedPage:
    card = get_card(tx, viewer, item_id)
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id])
    return describe_highlights(card, found.get(card.media.id, []), base_url)


def _write(page: HighlightedPage, to: HighlightFormat) -> bytes:
    match to:
        case HighlightFormat.MARKDOWN:
            return highlight_files.write_markdown(page).encode("utf-8", "replace")
        case HighlightFormat.CSV:
            text = highlight_files.write_heading() + highlight_files.write_rows(page)
            return text.encode("utf-8", "replace")
        case HighlightFormat.JSON:
            return highlight_files.write_collection(page)


async def iterate_highlights(scope: ExportScope) -> AsyncIterator[HighlightedPage]:
    """Yield each page that the viewer highlighted, once; only one page's highlights are in memory at a time."""
    written = set[UUID]()
    for library in scope.libraries:
        async for page in iterate_export(scope, library, Selection.HIGHLIGHTED):
            for card in page.cards:
                if card.media.id in written:
                    continue
                if len(scope.libraries) > 1:
                    written.add(card.media.id)
                if marked := await read_highlights(scope, card.media.id):  # or they were removed a moment ago
                    yield describe_highlights(card, marked, scope.base_url)
