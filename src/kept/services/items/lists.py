"""Lists of items: the library page, the API's list, tags, and finding a saved page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card, ItemFilter, ItemList
from kept.domain.library import ALL_LIBRARIES, Library, LibraryChoice, Role
from kept.domain.paging import PageRequest, Position, parse_position, write_position
from kept.ids import find_id
from kept.services.items.search import Result, search_library
from kept.services.libraries.libraries import choose_readable_libraries
from kept.services.pages.cards import name_adders
from kept.services.pages.identity import find_page_at
from kept.storage import events, items, libraries
from kept.storage.database.engine import Connection
from kept.storage.media import find_merged
from kept.storage.search.find import MOST_RANKED, count_filtered
from kept.storage.search.scope import make_scope

MAX_COUNTED: Final = 1_000
MAX_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class FoundCount:
    number: int
    is_exact: bool
    """Whether the count is exact; for frequent words only the newest items are ranked, and there may be more."""


@dataclass(frozen=True, slots=True)
class ItemPage:
    cards: list[Card]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Browsed:
    library: Library | None
    """The library that is listed; None for all."""
    libraries: list[tuple[Library, Role]]
    page: ItemPage
    snippets: dict[UUID, Result]
    """The passage that shows why a search found an item, by the item's id."""
    found: FoundCount | None
    """How many items a search found; None where nothing was searched."""
    adders: dict[UUID, str]
    """The names of other people who added these items."""
    tags: list[tuple[str, int]]
    latest_event: int
    """The newest event that the page already shows."""


@dataclass(frozen=True, slots=True)
class ShownCards:
    cards: list[Card]
    libraries: list[tuple[UUID, str, Role]]
    """The viewer's libraries, each with its name unless it is their own."""
    adders: dict[UUID, str]


@dataclass(frozen=True, slots=True)
class TagList:
    library: Library | None
    """The library that is listed; None for all."""
    tags: list[tuple[str, int]]


def browse_library(tx: Connection, viewer: Viewer, listed: ItemList, asked: PageRequest) -> Browsed:
    """Return everything the library page shows, for one library, all, or the viewer's own, in one transaction."""
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
        return list_item_page(tx, viewer, narrowed, asked), {}, None
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


def list_items(
    tx: Connection, viewer: Viewer, library: LibraryChoice, wanted: ItemFilter, page: PageRequest
) -> ItemPage:
    """Return a page of a library's items, or of all, newest first, and the next cursor. `wanted` narrows it."""
    library_ids = choose_readable_libraries(tx, viewer, library)
    return list_item_page(tx, viewer, replace(wanted, library_ids=library_ids), page)


def list_shown_cards(tx: Connection, viewer: Viewer, listed: ItemList | None, item_ids: Sequence[UUID]) -> ShownCards:
    """Return those of some items that are in a list, for a page that shows it and was told that they changed.

    They are in the order of the list. Without a list, and for a search, they are all that the viewer may see: only
    another search shows whether it still finds them.
    """
    present = items.resolve_merged(tx, item_ids)
    if listed is None or listed.text is not None:
        cards = items.list_cards_by_id(tx, viewer.user_id, present)
    else:
        cards = _list_in(tx, viewer, listed, present)
    held = [
        (library.id, "" if library.is_default else library.name, role)
        for library, role in libraries.list_libraries(tx, viewer.user_id)
    ]
    return ShownCards(cards, held, name_adders(tx, viewer, cards))


def _list_in(tx: Connection, viewer: Viewer, listed: ItemList, item_ids: Sequence[UUID]) -> list[Card]:
    try:
        library_ids = choose_readable_libraries(tx, viewer, listed.library)
    except NotFound:
        return []
    return items.list_cards_among(tx, viewer.user_id, replace(listed.filter, library_ids=library_ids), item_ids)


def list_tags(tx: Connection, viewer: Viewer, library: LibraryChoice) -> TagList:
    """Return the tags of a library, of all, or of the viewer's own, each with its number of items."""
    library_ids = choose_readable_libraries(tx, viewer, library)
    found = libraries.find_library(tx, library_ids[0], viewer.user_id) if len(library_ids) == 1 else None
    return TagList(found[0] if found else None, items.count_tags(tx, library_ids))


def list_item_page(tx: Connection, viewer: Viewer, wanted: ItemFilter, page: PageRequest) -> ItemPage:
    """Return one page of a list, from libraries that the caller has checked."""
    after = parse_position(page.cursor) if page.cursor else None
    cards = items.list_cards(tx, viewer.user_id, wanted, after=after, limit=page.limit + 1)
    if len(cards) <= page.limit:
        return ItemPage(cards, None)
    last = cards[page.limit - 1].item
    return ItemPage(cards[: page.limit], write_position(Position(last.created_at, last.id)))


def find_saved(tx: Connection, viewer: Viewer, wanted: str) -> Card:
    """Find a saved page by the id of its item or media, or by its URL.

    The viewer's personal library is searched first. NotFound is raised also for what the viewer may not see.
    """
    key = find_id(wanted)
    found = _list_by_id(tx, viewer, key) if key else _list_by_url(tx, viewer, wanted)
    card = next(found, None)
    if card is None:
        raise NotFound(f"Not in your libraries: {wanted}")
    return card


def _list_by_id(tx: Connection, viewer: Viewer, key: UUID) -> Iterator[Card]:
    if card := items.find_card(tx, key, viewer.user_id):
        yield card
    media_id = find_merged(tx, key) or key
    for library, _ in libraries.list_libraries(tx, viewer.user_id):
        if card := items.find_card_of_media(tx, library.id, media_id, viewer.user_id):
            yield card


def _list_by_url(tx: Connection, viewer: Viewer, wanted: str) -> Iterator[Card]:
    for library, _ in libraries.list_libraries(tx, viewer.user_id):
        media_id = find_page_at(tx, library.id, wanted)
        card = items.find_card_of_media(tx, library.id, media_id, viewer.user_id) if media_id else None
        if card is not None:
            yield card
