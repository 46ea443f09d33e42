"""A page of a library's items, newest first, and where the next one begins."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.paging import PageRequest
from kept.services.items.read_page import ItemPage, read_page
from kept.services.libraries.choose_readable_library import choose_readable_library
from kept.storage.database.engine import Connection, Database

MAX_PAGE: Final = 100


async def list_items(
    database: Database, viewer: Viewer, library_id: UUID | None, wanted: ItemFilter | None, page: PageRequest
) -> ItemPage:
    """Without a library, the viewer's own. The rest of `wanted` narrows it."""
    return await database.read(_list, viewer, library_id, wanted, page)


def _list(
    tx: Connection, viewer: Viewer, library_id: UUID | None, wanted: ItemFilter | None, page: PageRequest
) -> ItemPage:
    chosen = choose_readable_library(tx, viewer, library_id)
    narrowed = replace(wanted, library_id=chosen) if wanted else ItemFilter(chosen)
    return read_page(tx, viewer, narrowed, page)
