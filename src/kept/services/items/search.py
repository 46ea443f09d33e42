"""Searching libraries, and the neighbours of an item in the list it was opened from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from uuid import UUID

from kept.content.search.query import SearchQuery, Term, parse_search
from kept.content.search.snippets import find_passage, make_snippet
from kept.content.search.words import MOST_CHARACTERS
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card, ItemFilter, ItemList
from kept.domain.library import LibraryChoice
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest, Position, parse_offset, write_offset
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import articles, items
from kept.storage.database.engine import Connection
from kept.storage.media import list_documents
from kept.storage.search import find
from kept.storage.search.highlight_list import list_passages
from kept.storage.search.scope import make_scope

MAX_QUERY: Final = 10_000
# The documents on one page of results that are searched to their end.
MOST_LOOKED_THROUGH: Final = 5


class _Shown(NamedTuple):
    snippet: str | None
    page: int | None = None


NOTHING: Final = _Shown(None)
Neighbours = tuple[Card | None, Card | None]
# Nobody reads further than this into what a search found.
MAX_RESULTS: Final = 1_000
READY: Final = ProcessingStatus.READY_FOR_READING


@dataclass(frozen=True, slots=True)
class Result:
    card: Card
    snippet: str | None
    """HTML with no tags but `<mark>`; None where only the card matches."""
    page: int | None = None
    """The page of a document where the passage stands."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    results: list[Result]
    next_cursor: str | None
    total: int | None = None
    """The number of all results; None where that was not counted."""


@dataclass(frozen=True, slots=True)
class Ranked:
    item_ids: list[UUID]
    total: int | None
    """The number of all results; None where that was not counted."""


def search_items(tx: Connection, viewer: Viewer, library: LibraryChoice, text: str, page: PageRequest) -> SearchPage:
    """Search a library, or all: return the cards that match, the best first, each with the passage that shows why."""
    library_ids = choose_readable_libraries(tx, viewer, library)
    return search_library(tx, viewer, ItemFilter(library_ids), text, page)


def search_library(
    tx: Connection, viewer: Viewer, wanted: ItemFilter, text: str, page: PageRequest, *, by_date: bool = False
) -> SearchPage:
    """Return one page of a search in libraries that the caller has checked: the best first, unless `by_date`.

    `wanted` says which libraries, and narrows them further.
    """
    query, offset = parse_search(text), parse_offset(page.cursor) if page.cursor else 0
    ranked = rank_items(tx, viewer, wanted, query, range(offset, offset + page.limit + 1), by_date=by_date)
    found = ranked.item_ids
    cards = _list_in_order(tx, viewer, found[: page.limit])
    passages = _make_snippets(tx, viewer, cards, query) if query.wanted else {}
    results = [Result(card, *passages.get(card.item.id, NOTHING)) for card in cards]
    next_cursor = write_offset(offset + page.limit) if len(found) > page.limit else None
    return SearchPage(results, next_cursor, ranked.total)


def _list_in_order(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]) -> list[Card]:
    if not item_ids:
        return []
    cards = {card.item.id: card for card in items.list_cards_by_id(tx, viewer.user_id, item_ids)}
    return [cards[item_id] for item_id in item_ids if item_id in cards]


def _make_snippets(tx: Connection, viewer: Viewer, cards: Sequence[Card], query: SearchQuery) -> dict[UUID, _Shown]:
    """Return the passage that shows why each card was found: from the note, else the page, else the viewer's
    highlights, which alone are used for `in:highlights`."""
    if query.in_highlights:
        return _quote_highlights(tx, viewer, cards, query.wanted)
    texts = articles.list_texts(tx, [card.media.id for card in cards]) if cards else {}
    found = {}
    for card in cards:
        page = () if card.media.is_document else (texts.get(card.media.id), card.excerpt)
        passage = _make_snippet((card.item.note, *page), query.wanted)
        if passage is not None:
            found[card.item.id] = _Shown(passage)
    kept = [card for card in cards if card.media.is_document and card.item.id not in found]
    found |= _search_documents(tx, kept, texts, query.wanted) if kept else {}
    without = [card for card in cards if card.item.id not in found]
    return found | _quote_highlights(tx, viewer, without, query.wanted)


def _search_documents(
    tx: Connection, kept: Sequence[Card], texts: Mapping[UUID, str], terms: Sequence[Term]
) -> dict[UUID, _Shown]:
    """Return passages of documents, with their pages. Only the first few of these long texts are read to the end."""
    known = list_documents(tx, [card.media.id for card in kept])
    found = {}
    for number, card in enumerate(kept):
        facts = known.get(card.media.id)
        text = texts.get(card.media.id, "")
        passage = find_passage(text, terms)
        if passage is None and number < MOST_LOOKED_THROUGH and len(text) == articles.LONGEST_LOOK:
            passage = find_passage(articles.find_text(tx, card.media.id, MOST_CHARACTERS) or "", terms)
        running = make_snippet(facts.running_text, terms) if facts is not None and passage is None else None
        if passage is not None:
            found[card.item.id] = _Shown(passage.html, facts.find_page(passage.start) if facts else None)
        elif running is not None:
            found[card.item.id] = _Shown(running)
    return found


def _make_snippet(said: Iterable[str | None], terms: Sequence[Term]) -> str | None:
    return next(filter(None, (make_snippet(text, terms) for text in said if text)), None)


def _quote_highlights(
    tx: Connection, viewer: Viewer, cards: Sequence[Card], terms: Sequence[Term]
) -> dict[UUID, _Shown]:
    if not cards:
        return {}
    said: dict[UUID, _Shown] = {}
    for highlight in list_passages(tx, viewer.user_id, [card.media.id for card in cards], terms):
        if highlight.media_id not in said:
            passage = _make_snippet((highlight.note, highlight.quote.exact), terms)
            said |= {highlight.media_id: _Shown(passage)} if passage else {}
    return {card.item.id: said[card.media.id] for card in cards if card.media.id in said}


def rank_items(
    tx: Connection,
    viewer: Viewer,
    wanted: ItemFilter,
    query: SearchQuery,
    rows: range,
    *,
    by_date: bool = False,
) -> Ranked:
    """Return the ids of the items in some rows of what a search finds, in libraries that the caller has checked.

    The best come first, or with `by_date` the order is that of `wanted`.
    """
    if query.is_empty:
        return Ranked([], 0)
    scope = make_scope(tx, viewer.user_id, wanted, query)
    if not query.wanted:
        return Ranked(find.list_filtered(scope, offset=rows.start, limit=len(rows)), None)
    found = find.find_items(scope)
    ranked = find.sort_by_date(scope, found) if by_date else found
    return Ranked(ranked[rows.start : rows.stop], len(ranked))


def find_neighbours(tx: Connection, viewer: Viewer, card: Card, listed: ItemList | None) -> Neighbours:
    """Return the readable articles before and after an item, in the list it was opened from.

    Without a list, or with one that is no longer the viewer's, they are those of the item's own library.
    """
    library_ids = _find_libraries(tx, viewer, listed) if listed else ()
    if listed is None or not library_ids:
        wanted = ItemFilter((card.item.library_id,), status=READY, is_archived=False)
        return _find_by_date(tx, viewer, card, wanted)
    wanted = replace(listed.filter, library_ids=library_ids, status=READY)
    if listed.text is None:
        return _find_by_date(tx, viewer, card, wanted)
    query = parse_search(listed.text)
    found = rank_items(tx, viewer, wanted, query, range(MAX_RESULTS), by_date=listed.by_date).item_ids
    return _find_beside(tx, viewer, card, found)


def _find_libraries(tx: Connection, viewer: Viewer, listed: ItemList) -> tuple[UUID, ...]:
    try:
        return choose_readable_libraries(tx, viewer, listed.library)
    except NotFound:
        return ()


def _find_by_date(tx: Connection, viewer: Viewer, card: Card, wanted: ItemFilter) -> Neighbours:
    return items.list_neighbours(tx, viewer.user_id, Position(card.item.created_at, card.item.id), wanted)


def _find_beside(tx: Connection, viewer: Viewer, card: Card, found: Sequence[UUID]) -> Neighbours:
    """Return the neighbours in a search. An item it no longer finds is followed by the first result."""
    at = found.index(card.item.id) if card.item.id in found else -1
    before = found[at - 1] if at > 0 else None
    after = found[at + 1] if at + 1 < len(found) else None
    return _find_card(tx, viewer, before), _find_card(tx, viewer, after)


def _find_card(tx: Connection, viewer: Viewer, item_id: UUID | None) -> Card | None:
    return items.find_card(tx, item_id, viewer.user_id) if item_id else None
