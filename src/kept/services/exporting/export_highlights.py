"""The highlights of one page as a file to take away: Markdown, Readwise's CSV, or JSON of W3C annotations."""

import asyncio
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.content.export_formats import annotations_file, highlights_markdown, readwise_file
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.domain.account import Viewer
from kept.services.exporting.describe_highlights import describe_highlights
from kept.services.exporting.export_article import ExportedFile
from kept.services.pages.cards import get_card
from kept.storage import highlights
from kept.storage.database.engine import Connection, Database


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
            return highlights_markdown.write_markdown(page).encode("utf-8", "replace")
        case HighlightFormat.CSV:
            text = readwise_file.write_heading() + readwise_file.write_rows(page)
            return text.encode("utf-8", "replace")
        case HighlightFormat.JSON:
            return annotations_file.write_collection(page)
