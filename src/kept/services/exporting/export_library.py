"""All of a viewer's libraries, or one of them, as one file to take away; streamed, so that its size needs no memory."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import uuid5

from kept.content.export_formats import annotations_file, bookmarks_file, csv_file, readwise_file
from kept.content.export_formats.file_names import make_file_name
from kept.services.exporting.book_entries import book_entries
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.folder_entries import folder_entries
from kept.services.exporting.highlight_entries import highlight_entries
from kept.services.exporting.iterate_export import iterate_export
from kept.services.exporting.iterate_highlights import iterate_highlights
from kept.services.exporting.kept_export_entries import kept_export_entries
from kept.services.exporting.pack_entries import pack_entries
from kept.storage import exports
from kept.storage.exports import Selection


class ExportFormat(StrEnum):
    JSON = "json"
    HTML = "html"
    CSV = "csv"
    EPUB = "epub"
    FOLDER = "folder"
    HIGHLIGHTS_MARKDOWN = "highlights-markdown"
    HIGHLIGHTS_CSV = "highlights-csv"
    HIGHLIGHTS_JSON = "highlights-json"


@dataclass(frozen=True, slots=True)
class _FileKind:
    extension: str
    content_type: str


KINDS: Final = {
    ExportFormat.JSON: _FileKind("zip", "application/zip"),
    ExportFormat.HTML: _FileKind("html", "text/html; charset=utf-8"),
    ExportFormat.CSV: _FileKind("csv", "text/csv; charset=utf-8"),
    ExportFormat.EPUB: _FileKind("epub", "application/epub+zip"),
    ExportFormat.FOLDER: _FileKind("zip", "application/zip"),
    ExportFormat.HIGHLIGHTS_MARKDOWN: _FileKind("zip", "application/zip"),
    ExportFormat.HIGHLIGHTS_CSV: _FileKind("csv", "text/csv; charset=utf-8"),
    ExportFormat.HIGHLIGHTS_JSON: _FileKind("json", "application/ld+json"),
}
HIGHLIGHTS: Final = frozenset(
    {ExportFormat.HIGHLIGHTS_MARKDOWN, ExportFormat.HIGHLIGHTS_CSV, ExportFormat.HIGHLIGHTS_JSON}
)


@dataclass(frozen=True, slots=True)
class Export:
    """A file on its way: what it is called, how many items go into it, and its bytes."""

    name: str
    content_type: str
    items: int
    chunks: AsyncIterator[bytes]


async def export_library(scope: ExportScope, to: ExportFormat) -> Export:
    ids, user_id = [library.id for library in scope.libraries], scope.viewer.user_id
    items = await scope.store.database.read(exports.count_items, user_id, ids, _select(to))
    return Export(_make_name(scope, to), KINDS[to].content_type, items, _write(scope, to))


def _select(to: ExportFormat) -> Selection:
    if to in HIGHLIGHTS:
        return Selection.HIGHLIGHTED
    return Selection.WITH_COPIES if to is ExportFormat.JSON else Selection.LISTED


def _make_name(scope: ExportScope, to: ExportFormat) -> str:
    library = make_file_name(scope.libraries[0].name, "library") + "-" if len(scope.libraries) == 1 else ""
    what = "articles-" if to is ExportFormat.FOLDER else "highlights-" if to in HIGHLIGHTS else ""
    return f"kept-{library}{what}{scope.made_at:%Y-%m-%d}.{KINDS[to].extension}"


def _write(scope: ExportScope, to: ExportFormat) -> AsyncIterator[bytes]:
    match to:
        case ExportFormat.CSV:
            return _write_csv(scope)
        case ExportFormat.HTML:
            return _write_bookmarks(scope)
        case ExportFormat.JSON:
            return pack_entries(scope.made_at, kept_export_entries(scope))
        case ExportFormat.EPUB:
            return pack_entries(scope.made_at, book_entries(scope))
        case ExportFormat.FOLDER:
            return pack_entries(scope.made_at, folder_entries(scope))
        case ExportFormat.HIGHLIGHTS_MARKDOWN:
            return pack_entries(scope.made_at, highlight_entries(scope))
        case ExportFormat.HIGHLIGHTS_CSV:
            return _write_highlights_csv(scope)
        case ExportFormat.HIGHLIGHTS_JSON:
            return _write_annotations(scope)


async def _write_csv(scope: ExportScope) -> AsyncIterator[bytes]:
    yield csv_file.write_heading().encode()
    for library in scope.libraries:
        async for page in iterate_export(scope, library):
            rows = csv_file.write_rows((library, card) for card in page.cards)
            yield rows.encode("utf-8", "replace")


async def _write_bookmarks(scope: ExportScope) -> AsyncIterator[bytes]:
    yield bookmarks_file.BEGINNING.encode()
    for library in scope.libraries:
        yield bookmarks_file.begin_folder(library).encode("utf-8", "replace")
        async for page in iterate_export(scope, library):
            yield "".join(map(bookmarks_file.write_bookmark, page.cards)).encode("utf-8", "replace")
        yield bookmarks_file.FOLDER_END.encode()
    yield bookmarks_file.END.encode()


async def _write_highlights_csv(scope: ExportScope) -> AsyncIterator[bytes]:
    yield readwise_file.write_heading().encode()
    async for page in iterate_highlights(scope):
        yield (await asyncio.to_thread(readwise_file.write_rows, page)).encode("utf-8", "replace")


async def _write_annotations(scope: ExportScope) -> AsyncIterator[bytes]:
    comma, name = "", uuid5(scope.viewer.user_id, scope.made_at.isoformat())
    yield annotations_file.begin_collection(name).encode()
    async for page in iterate_highlights(scope):
        text = comma + await asyncio.to_thread(annotations_file.write_annotations, page)
        yield text.encode("utf-8", "replace")
        comma = ",\n"
    yield annotations_file.END.encode()
