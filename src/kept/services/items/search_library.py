"""One page of what a search finds. For libraries the caller has checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from kept.content.search.query import SearchQuery, Term, parse_search
from kept.content.search.snippets import find_passage, make_snippet
from kept.content.search.words import MOST_CHARACTERS
from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.paging import PageRequest, parse_offset, write_offset
from kept.services.items.rank_items import RankRequest, rank_items
from kept.storage import articles, documents, items
from kept.storage.database.engine import Connection
from kept.storage.search.highlight_list import list_passages

# Of one page of results.
MOST_LOOKED_THROUGH: Final = 5


class _Shown(NamedTuple):
    snippet: str | None
    page: int | None = None


NOTHING: Final = _Shown(None)


@dataclass(frozen=True, slots=True)
class Result:
    card: Card
    snippet: str | None
    """HTML with no tags but `<mark>`; None where nothing but the card says it."""
    page: int | None = None
    """Of a document: where the passage stands."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    results: list[Result]
    next_cursor: str | None
    total: int | None = None
    """How many are found in all; None where that was not counted."""


def search_library(
    tx: Connection, viewer: Viewer, wanted: ItemFilter, text: str, page: PageRequest, *, by_date: bool = False
) -> SearchPage:
    """`wanted` says which libraries, and narrows them further; the best first, unless `by_date`."""
    query, offset = parse_search(text), parse_offset(page.cursor) if page.cursor else 0
    asked = RankRequest(wanted, query, by_date)
    ranked = rank_items(tx, viewer, asked, offset=offset, limit=page.limit + 1)
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
    """What a person wrote, else what the page says, else what the viewer marked; for `in:highlights` that first."""
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
    """With the page. The first few are looked through to their end: they are long, and found by words on any page."""
    known = documents.list_documents(tx, [card.media.id for card in kept])
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
