"""Search a library: the cards that a query finds, the best first, each with the passage that shows why."""

from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.paging import PageRequest
from kept.services.items.search_library import SearchPage, search_library
from kept.services.libraries.choose_readable_library import choose_readable_library
from kept.storage.database.engine import Connection, Database

MAX_QUERY: Final = 10_000


async def search_items(
    database: Database, viewer: Viewer, library_id: UUID | None, text: str, page: PageRequest
) -> SearchPage:
    """Without a library, the viewer's own."""
    return await database.read(_search, viewer, library_id, text, page)


def _search(tx: Connection, viewer: Viewer, library_id: UUID | None, text: str, page: PageRequest) -> SearchPage:
    chosen = choose_readable_library(tx, viewer, library_id)
    return search_library(tx, viewer, ItemFilter(chosen), text, page)
