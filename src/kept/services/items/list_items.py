"""A page of the items of a library, or of all, newest first, and where the next one begins."""

from dataclasses import replace
from typing import Final

from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.library import LibraryChoice
from kept.domain.paging import PageRequest
from kept.services.items.read_page import ItemPage, read_page
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage.database.engine import Connection

MAX_PAGE: Final = 100


def list_items(
    tx: Connection, viewer: Viewer, library: LibraryChoice, wanted: ItemFilter, page: PageRequest
) -> ItemPage:
    """`wanted` narrows it."""
    library_ids = choose_readable_libraries(tx, viewer, library)
    return read_page(tx, viewer, replace(wanted, library_ids=library_ids), page)
