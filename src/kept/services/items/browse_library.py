"""Everything the library page shows, read in one transaction."""

from dataclasses import dataclass, replace
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item_filter import ItemFilter
from kept.domain.library import ALL_LIBRARIES, Library, LibraryChoice, Role
from kept.domain.paging import PageRequest
from kept.services.items.read_page import ItemPage, read_page
from kept.services.items.search_library import search_library
from kept.storage import events, items, libraries
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class Browsed:
    library: Library | None
    """None for all libraries."""
    libraries: list[tuple[Library, Role]]
    page: ItemPage
    snippets: dict[UUID, str]
    """For what a search found: the passage that shows why, as HTML with no tags but `<mark>`."""
    tags: list[tuple[str, int]]
    latest_event: int
    """The newest event that the page already shows."""


@dataclass(frozen=True, slots=True)
class BrowseRequest:
    """What of a library, or of all, is shown: `filter` narrows it, and with a `text` the list is what that finds."""

    library_id: LibraryChoice
    filter: ItemFilter
    text: str | None
    page: PageRequest


async def browse_library(database: Database, viewer: Viewer, wanted: BrowseRequest) -> Browsed:
    """Without a library, the viewer's own."""
    return await database.read(_browse, viewer, wanted)


def _browse(tx: Connection, viewer: Viewer, wanted: BrowseRequest) -> Browsed:
    latest = events.find_latest(tx)
    held = libraries.list_libraries(tx, viewer.user_id)
    library = None if wanted.library_id == ALL_LIBRARIES else _choose(held, viewer, wanted.library_id)
    library_ids = (library.id,) if library else tuple(one.id for one, _ in held)
    page, snippets = _list(tx, viewer, replace(wanted.filter, library_ids=library_ids), wanted)
    return Browsed(library, held, page, snippets, items.count_tags(tx, library_ids), latest)


def _list(
    tx: Connection, viewer: Viewer, narrowed: ItemFilter, wanted: BrowseRequest
) -> tuple[ItemPage, dict[UUID, str]]:
    if wanted.text is None:
        return read_page(tx, viewer, narrowed, wanted.page), {}
    found = search_library(tx, viewer, narrowed, wanted.text, wanted.page)
    snippets = {result.card.item.id: result.snippet for result in found.results if result.snippet}
    return ItemPage([result.card for result in found.results], found.next_cursor), snippets


def _choose(held: list[tuple[Library, Role]], viewer: Viewer, library_id: UUID | None) -> Library:
    for library, _ in held:
        is_own = library.is_default and library.owner_id == viewer.user_id
        if library.id == library_id or (library_id is None and is_own):
            return library
    raise NotFound
