"""All of a viewer's libraries, or one of them, as one file to take away; streamed, so that its size needs no memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast
from uuid import UUID

from kept.content.export_formats import bookmarks_file, csv_file
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.zip_stream import Deflated, Member, ZipStream
from kept.domain.account import Viewer
from kept.services.exporting.archive_entries import list_book, list_folder, list_kept_export
from kept.services.exporting.iterate_export import LibraryWalk, choose_libraries
from kept.services.images.image_store import ImageKeeper
from kept.storage import exports

# What lists all files of an archive stays in memory up to this size, and goes to a temporary file beyond.
SPOOL_BYTES: Final = 4 * 1024 * 1024


class ExportFormat(StrEnum):
    JSON = "json"
    HTML = "html"
    CSV = "csv"
    EPUB = "epub"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class FileKind:
    extension: str
    content_type: str


KINDS: Final = {
    ExportFormat.JSON: FileKind("zip", "application/zip"),
    ExportFormat.HTML: FileKind("html", "text/html; charset=utf-8"),
    ExportFormat.CSV: FileKind("csv", "text/csv; charset=utf-8"),
    ExportFormat.EPUB: FileKind("epub", "application/epub+zip"),
    ExportFormat.FOLDER: FileKind("zip", "application/zip"),
}


@dataclass(frozen=True, slots=True)
class Export:
    """A file on its way: what it is called, how many items go into it, and its bytes."""

    name: str
    content_type: str
    items: int
    chunks: AsyncIterator[bytes]


async def export_library(
    keeper: ImageKeeper,
    viewer: Viewer,
    library_id: UUID | None,
    to: ExportFormat,
    *,
    now: datetime,
    on_items: Callable[[int], None] = lambda _: None,
) -> Export:
    """Without a library, all the viewer can see. NotFound comes before the first byte."""
    found = await choose_libraries(keeper, viewer, library_id)
    walk = LibraryWalk(keeper, viewer, found, now, on_items)
    async with keeper.database.read() as tx:
        ids = [library.id for library in found]
        items = await exports.count_items(tx, ids, with_copies=to is ExportFormat.JSON)
    return Export(make_name(walk, to), KINDS[to].content_type, items, write(walk, to))


async def export_folder(
    keeper: ImageKeeper,
    viewer: Viewer,
    library_id: UUID | None,
    folder: Path,
    *,
    now: datetime,
    on_items: Callable[[int], None] = lambda _: None,
) -> None:
    """The files of `ExportFormat.FOLDER`, in a folder instead of an archive."""
    found = await choose_libraries(keeper, viewer, library_id)
    async for member in list_folder(LibraryWalk(keeper, viewer, found, now, on_items), open_spool):
        await asyncio.to_thread(write_file, folder / member.name, member)


def write_file(path: Path, member: Member) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(member.content.chunks() if isinstance(member.content, Deflated) else (member.content,))


def make_name(walk: LibraryWalk, to: ExportFormat) -> str:
    library = make_file_name(walk.libraries[0].name, "library") + "-" if len(walk.libraries) == 1 else ""
    what = "articles-" if to is ExportFormat.FOLDER else ""
    return f"kept-{library}{what}{walk.made_at:%Y-%m-%d}.{KINDS[to].extension}"


def write(walk: LibraryWalk, to: ExportFormat) -> AsyncIterator[bytes]:
    match to:
        case ExportFormat.CSV:
            return write_csv(walk)
        case ExportFormat.HTML:
            return write_bookmarks(walk)
        case ExportFormat.JSON:
            return pack(walk, list_kept_export(walk, open_spool))
        case ExportFormat.EPUB:
            return pack(walk, list_book(walk, open_spool))
        case ExportFormat.FOLDER:
            return pack(walk, list_folder(walk, open_spool))


async def write_csv(walk: LibraryWalk) -> AsyncIterator[bytes]:
    yield csv_file.write_heading().encode()
    for library in walk.libraries:
        async for page in walk.pages(library):
            rows = csv_file.write_rows((library, card) for card in page.cards)
            yield rows.encode("utf-8", "replace")


async def write_bookmarks(walk: LibraryWalk) -> AsyncIterator[bytes]:
    yield bookmarks_file.BEGINNING.encode()
    for library in walk.libraries:
        yield bookmarks_file.begin_folder(library).encode("utf-8", "replace")
        async for page in walk.pages(library):
            yield "".join(map(bookmarks_file.write_bookmark, page.cards)).encode("utf-8", "replace")
        yield bookmarks_file.FOLDER_END.encode()
    yield bookmarks_file.END.encode()


async def pack(walk: LibraryWalk, members: AsyncIterator[Member]) -> AsyncIterator[bytes]:
    with open_spool() as directory:
        archive = ZipStream(directory, walk.made_at)
        async for member in members:
            if isinstance(member.content, Deflated):
                for chunk in archive.add(member):
                    yield chunk
            else:  # compressing an article takes milliseconds, which belong to nobody else's request
                yield await asyncio.to_thread(b"".join, archive.add(member))
        for chunk in archive.end():
            yield chunk


def open_spool() -> BinaryIO:
    return cast("BinaryIO", SpooledTemporaryFile(SPOOL_BYTES))
