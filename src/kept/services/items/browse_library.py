"""Everything the library page shows, read in one transaction."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item_filter import ItemFilter
from kept.domain.item_list import ItemList
from kept.domain.library import ALL_LIBRARIES, Library, Role
from kept.domain.paging import PageRequest
from kept.services.items.read_page import ItemPage, read_page
from kept.services.items.search_library import Result, search_library
from kept.services.pages.cards import name_adders
from kept.storage import events, items, libraries
from kept.storage.database.engine import Connection
from kept.storage.search.find import MOST_RANKED, count_filtered
from kept.storage.search.scope import make_scope

MAX_COUNTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundCount:
    number: int
    is_exact: bool
    """False where there may be more: of frequent words only the newest are ranked."""


@dataclass(frozen=True, slots=True)
class Browsed:
    library: Library | None
    """None for all libraries."""
    libraries: list[tuple[Library, Role]]
    page: ItemPage
    snippets: dict[UUID, Result]
    """For what a search found: the passage that shows why, as HTML with no tags but `<mark>`."""
    found: FoundCount | None
    """For a search."""
    adders: dict[UUID, str]
    """The names of other people who added these items."""
    tags: list[tuple[str, int]]
    latest_event: int
    """The newest event that the page already shows."""


def browse_library(tx: Connection, viewer: Viewer, listed: ItemList, asked: PageRequest) -> Browsed:
    """Without a library, the viewer's own."""
    latest = events.find_latest(tx)
    held = libraries.list_libraries(tx, viewer.user_id)
    library = None if listed.library == ALL_LIBRARIES else _choose(held, viewer, listed.library)
    library_ids = (library.id,) if library else tuple(one.id for one, _ in held)
    narrowed = replace(listed.filter, library_ids=library_ids)
    page, snippets, found = _list(tx, viewer, narrowed, listed, asked)
    adders = name_adders(tx, viewer, page.cards)
    return Browsed(library, held, page, snippets, found, adders, items.count_tags(tx, library_ids), latest)


def _list(
    tx: Connection, viewer: Viewer, narrowed: ItemFilter, listed: ItemList, asked: PageRequest
) -> tuple[ItemPage, dict[UUID, Result], FoundCount | None]:
    if listed.text is None:
        return read_page(tx, viewer, narrowed, asked), {}, None
    page = search_library(tx, viewer, narrowed, listed.text, asked, by_date=listed.by_date)
    snippets = {result.card.item.id: result for result in page.results if result.snippet}
    cards = [result.card for result in page.results]
    if page.total is not None:
        found = FoundCount(page.total, is_exact=page.total < MOST_RANKED)
    else:
        found = _count(tx, viewer, narrowed, listed.text)
    return ItemPage(cards, page.next_cursor), snippets, found


def _count(tx: Connection, viewer: Viewer, narrowed: ItemFilter, text: str) -> FoundCount:
    scope = make_scope(tx, viewer.user_id, narrowed, parse_search(text))
    number = count_filtered(scope, most=MAX_COUNTED)
    return FoundCount(number, is_exact=number < MAX_COUNTED)


def _choose(held: list[tuple[Library, Role]], viewer: Viewer, library_id: UUID | None) -> Library:
    for library, _ in held:
        is_own = library.is_default and library.owner_id == viewer.user_id
        if library.id == library_id or (library_id is None and is_own):
            return library
    raise NotFound
