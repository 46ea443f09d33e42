"""Search a library, or all: the cards that a query finds, the best first, each with the passage that shows why."""

from typing import Final

from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.library import LibraryChoice
from kept.domain.paging import PageRequest
from kept.services.items.search_library import SearchPage, search_library
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage.database.engine import Connection

MAX_QUERY: Final = 10_000


def search_items(tx: Connection, viewer: Viewer, library: LibraryChoice, text: str, page: PageRequest) -> SearchPage:
    library_ids = choose_readable_libraries(tx, viewer, library)
    return search_library(tx, viewer, ItemFilter(library_ids), text, page)
