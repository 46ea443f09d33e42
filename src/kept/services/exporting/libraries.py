"""Whole libraries as one file: EPUB, web pages, Markdown of highlights, bookmarks, CSV or JSON."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

from kept.content.export_formats import bookmarks_file, csv_file, folder_index, highlight_files
from kept.content.export_formats.article_file import make_file_name
from kept.content.export_formats.epub_file import Book, BookCover
from kept.content.export_formats.highlight_files import write_markdown
from kept.content.export_formats.html_file import write_html
from kept.content.export_formats.zip_stream import Deflated, Member, ZipStream
from kept.domain.account import Viewer
from kept.domain.exporting import ExportFormat
from kept.domain.library import Library
from kept.services.exporting.articles import read_article_file
from kept.services.exporting.highlights import iterate_highlights
from kept.services.exporting.kept_archive import kept_export_entries
from kept.services.exporting.scope import ExportScope, choose_libraries, iterate_export, open_spool
from kept.services.images.store import ImageStore
from kept.storage import exports
from kept.storage.exports import Selection


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
INDEX: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Export:
    """An export that is being written: its file name, its number of items, and its bytes."""

    name: str
    content_type: str
    items: int
    chunks: AsyncIterator[bytes]


async def export_library(scope: ExportScope, to: ExportFormat) -> Export:
    """Export one or all of a viewer's libraries as one file. It is streamed, so that its size needs no memory."""
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
    yield highlight_files.write_heading().encode()
    async for page in iterate_highlights(scope):
        yield (await asyncio.to_thread(highlight_files.write_rows, page)).encode("utf-8", "replace")


async def _write_annotations(scope: ExportScope) -> AsyncIterator[bytes]:
    comma, name = "", uuid5(scope.viewer.user_id, scope.made_at.isoformat())
    yield highlight_files.begin_collection(name).encode()
    async for page in iterate_highlights(scope):
        text = comma + await asyncio.to_thread(highlight_files.write_annotations, page)
        yield text.encode("utf-8", "replace")
        comma = ",\n"
    yield highlight_files.END.encode()


async def prepare_export(
    store: ImageStore,
    viewer: Viewer,
    library_id: UUID | None,
    now: datetime,
    on_items: Callable[[int], None] | None = None,
    base_url: str | None = None,
) -> ExportScope:
    """Begin an export of one library or of all the viewer can see; raises NotFound here, before the first byte."""
    found = await store.database.read(choose_libraries, viewer, library_id)
    return ExportScope(store, viewer, found, now, on_items or (lambda _: None), base_url)


async def pack_entries(made_at: datetime, members: AsyncIterator[Member]) -> AsyncIterator[bytes]:
    """Pack files into a ZIP, chunk by chunk."""
    with open_spool() as directory:
        archive = ZipStream(directory, made_at)
        async for member in members:
            if isinstance(member.content, Deflated):
                for chunk in archive.add(member):
                    yield chunk
            else:  # compressing an article takes milliseconds, for which no other request should wait
                yield await asyncio.to_thread(b"".join, archive.add(member))
        for chunk in archive.end():
            yield chunk


async def folder_entries(scope: ExportScope) -> AsyncIterator[Member]:
    """Yield the files of a folder export: a self-contained page for each article, by library, and an index."""
    with open_spool() as spool:
        index, folders = Deflated(spool), _name_folders(scope.libraries)
        index.write(folder_index.BEGINNING)
        for library in scope.libraries:
            index.write(folder_index.begin_list(library))
            number = 0
            async for page in iterate_export(scope, library):
                for card in page.cards:
                    number += 1
                    article = await read_article_file(scope, page, card)
                    name = _name_file(folders[library.id], number, article.title) if article else None
                    index.write(folder_index.write_entry(card, name))
                    if article and name:
                        yield Member(name, await asyncio.to_thread(write_html, article))
            index.write(folder_index.LIST_END)
        index.write(folder_index.END)
        yield Member(INDEX, index.finish())


def _name_file(folder: str, number: int, title: str) -> str:
    return f"{folder}/{number:06}-{make_file_name(title)}.html"


def _name_folders(libraries: Iterable[Library]) -> dict[UUID, str]:
    """Return the name of each library's folder; libraries of one name get a number after it."""
    named: dict[UUID, str] = {}
    for library in libraries:
        name, number = make_file_name(library.name, "library"), 1
        while (folder := name if number == 1 else f"{name}-{number}") in named.values():
            number += 1
        named[library.id] = folder
    return named


async def book_entries(scope: ExportScope) -> AsyncIterator[Member]:
    """Yield the files of an EPUB: every article once, in the order in which they were saved."""
    with ExitStack() as stack:
        book = Book(_make_cover(scope), lambda: stack.enter_context(open_spool()))
        written = set[UUID]()
        for member in book.begin():
            yield member
        for library in scope.libraries:
            async for page in iterate_export(scope, library):
                for card in page.cards:
                    if card.media.id in written:
                        continue
                    article = await read_article_file(scope, page, card, for_book=True)
                    if article is None:
                        continue
                    if len(scope.libraries) > 1:
                        written.add(card.media.id)
                    for member in await asyncio.to_thread(list, book.add(article)):
                        yield member
        for member in book.end():
            yield member


def _make_cover(scope: ExportScope) -> BookCover:
    """Return the cover, whose id is the same for the same libraries at the same moment."""
    title = scope.libraries[0].name if len(scope.libraries) == 1 else "Kept"
    book_id = uuid5(scope.viewer.user_id, f"{scope.made_at.isoformat()} {[str(each.id) for each in scope.libraries]}")
    return BookCover(book_id, f"{title}, {scope.made_at.day} {scope.made_at:%B %Y}", scope.made_at)


async def highlight_entries(scope: ExportScope) -> AsyncIterator[Member]:
    """Yield a Markdown file for each page with highlights, in the order in which pages were saved.

    A file is named by the page's title, as notes are; a name that was used before gets a number.
    """
    used: dict[str, int] = {}
    async for page in iterate_highlights(scope):
        name = make_file_name(page.title)
        used[name] = number = used.get(name, 0) + 1
        unique = name if number == 1 else f"{name}--{number}"
        text = await asyncio.to_thread(write_markdown, page)
        yield Member(f"{unique}.md", text.encode("utf-8", "replace"))


async def export_folder(members: AsyncIterator[Member], folder: Path) -> None:
    """Write the files of an export into a folder instead of an archive."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async for member in members:
        await asyncio.to_thread(_write_file, folder / member.name, member)


def _write_file(path: Path, member: Member) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(member.content.chunks() if isinstance(member.content, Deflated) else (member.content,))
