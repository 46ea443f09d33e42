"""Search a library: the cards that a query finds, the best first, each with the passage that shows why."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from kept.content.search.query import SearchQuery, Term, parse_search
from kept.content.search.snippets import make_snippet
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.storage import articles, items, libraries
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.search import find as search
from kept.storage.search.scope import make_scope

MAX_QUERY: Final = 10_000
# A page number somebody made up must not make the database count for ever.
MAX_OFFSET: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    card: Card
    snippet: str | None
    """HTML with no tags but `<mark>`; None where nothing but the card says it."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    results: list[Result]
    next_cursor: str | None


async def search_items(
    database: Database,
    viewer: Viewer,
    library_id: UUID | None,
    text: str,
    wanted: ItemFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = 30,
) -> SearchPage:
    """Without a library, the viewer's own. `wanted` narrows it further."""
    async with database.read() as tx:
        if library_id is None:
            library_id = await libraries.get_default_library_id(tx, viewer.user_id)
        elif await libraries.find_library(tx, library_id, viewer.user_id) is None:
            raise NotFound
        return await search_in(tx, viewer, library_id, text, wanted, cursor=cursor, limit=limit)


async def search_in(
    tx: AsyncConnection,
    viewer: Viewer,
    library_id: UUID,
    text: str,
    wanted: ItemFilter | None,
    *,
    cursor: str | None,
    limit: int,
) -> SearchPage:
    """For a library the caller has checked."""
    query, offset = parse_search(text), parse_offset(cursor) if cursor else 0
    if query.is_empty:
        return SearchPage([], None)
    found = await find_page(tx, viewer, library_id, query, wanted, offset, limit + 1)
    cards = await list_in_order(tx, viewer, found[:limit])
    passages = await make_snippets(tx, cards, query.wanted)
    results = [Result(card, passages.get(card.item.id)) for card in cards]
    return SearchPage(results, make_cursor(offset + limit) if len(found) > limit else None)


async def find_page(
    tx: AsyncConnection,
    viewer: Viewer,
    library_id: UUID,
    query: SearchQuery,
    wanted: ItemFilter | None,
    offset: int,
    limit: int,
) -> list[UUID]:
    here = replace(wanted, library_id=library_id) if wanted else ItemFilter(library_id)
    scope = make_scope(tx, viewer.user_id, here, query)
    if not query.wanted:
        return await search.list_filtered(scope, offset=offset, limit=limit)
    return (await search.find_items(scope))[offset : offset + limit]


async def list_in_order(tx: AsyncConnection, viewer: Viewer, item_ids: Sequence[UUID]) -> list[Card]:
    if not item_ids:
        return []
    cards = {card.item.id: card for card in await items.list_cards_by_id(tx, viewer.user_id, item_ids)}
    return [cards[item_id] for item_id in item_ids if item_id in cards]


async def make_snippets(tx: AsyncConnection, cards: Sequence[Card], terms: Sequence[Term]) -> dict[UUID, str]:
    """What a person wrote, else what the page says."""
    if not terms or not cards:
        return {}
    texts = await articles.list_texts(tx, [card.media.id for card in cards])
    found = {}
    for card in cards:
        said = (card.item.note, texts.get(card.media.id), card.excerpt)
        passages = (make_snippet(text, terms) for text in said if text)
        passage = next(filter(None, passages), None)
        if passage is not None:
            found[card.item.id] = passage
    return found


# A search is ranked as a whole, so that a page of it is a place in that order and not after some item.


def make_cursor(offset: int) -> str:
    return base64.urlsafe_b64encode(f"at {offset}".encode()).decode().rstrip("=")


def parse_offset(cursor: str) -> int:
    try:
        word, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        offset = int(number) if word == "at" and number.isdecimal() and len(number) < 10 else -1
    except (ValueError, binascii.Error):
        offset = -1
    if not 0 < offset <= MAX_OFFSET:
        raise InvalidRequest("This cursor is not one of ours.")
    return offset
