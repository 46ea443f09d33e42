"""A library from the first item to the last, a page of them in memory at a time: what every export goes through.

Each page is read in a transaction of its own: a slow download must not hold one open, for on SQLite that would stop the
write-ahead log from being emptied.
"""

from collections.abc import AsyncIterator
from typing import Final

from kept.domain.library import Library
from kept.domain.paging import Position
from kept.services.exporting.export_scope import ExportScope
from kept.storage import exports
from kept.storage.exports import ExportPage, Selection

PAGE: Final = 200


async def iterate_export(
    scope: ExportScope, library: Library, selection: Selection = Selection.LISTED
) -> AsyncIterator[ExportPage]:
    after: Position | None = None
    database, user_id = scope.store.database, scope.viewer.user_id
    while True:
        page = await database.read(exports.read_page, user_id, library.id, after=after, limit=PAGE, selection=selection)
        if not page.cards:
            return
        yield page
        scope.on_items(len(page.cards))
        last = page.cards[-1].item
        after = Position(last.created_at, last.id)
