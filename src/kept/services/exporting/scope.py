"""The scope of an export, and its items page by page."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Library
from kept.domain.paging import Position
from kept.services.images.store import ImageStore
from kept.storage import exports, libraries
from kept.storage.database.engine import Connection
from kept.storage.exports import ExportPage, Selection

PAGE: Final = 200
SPOOL_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ExportScope:
    """What an export covers: whose libraries, which of them, and when it is made."""

    store: ImageStore
    viewer: Viewer
    libraries: tuple[Library, ...]
    made_at: datetime
    on_items: Callable[[int], None]
    """A function that is called with how many more items are written."""
    base_url: str | None = None
    """The URL at which people reach Kept, for links back to it."""


def choose_libraries(tx: Connection, viewer: Viewer, library_id: UUID | None) -> tuple[Library, ...]:
    """Return the libraries to export: all the viewer can see, or the one that is asked for."""
    if library_id is None:
        return tuple(library for library, _ in libraries.list_libraries(tx, viewer.user_id))
    found = libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return (found[0],)


async def iterate_export(
    scope: ExportScope, library: Library, selection: Selection = Selection.LISTED
) -> AsyncIterator[ExportPage]:
    """Yield a library's items from the first to the last, a page at a time; every export reads them here.

    Each page is read in a transaction of its own: a slow download must not hold one open, because on SQLite that would
    stop the write-ahead log from being emptied.
    """
    after: Position | None = None
    database, user_id = scope.store.database, scope.viewer.user_id
    while True:
        page = await database.read(
            exports.list_export_page, user_id, library.id, after=after, limit=PAGE, selection=selection
        )
        if not page.cards:
            return
        yield page
        scope.on_items(len(page.cards))
        last = page.cards[-1].item
        after = Position(last.created_at, last.id)


def open_spool() -> BinaryIO:
    """Open a temporary file that stays in memory up to a size and goes to disk beyond it."""
    return cast("BinaryIO", SpooledTemporaryFile(SPOOL_BYTES))
