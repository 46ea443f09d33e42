"""Lists for apps: by offset, with the exact number of all items."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card, ItemFilter, StateFilter
from kept.domain.synced import NumberedHighlight, NumberedTag, NumberKind, SyncFilter, SyncPage, SyncState
from kept.services.items.search import rank_items
from kept.services.pages.cards import get_card
from kept.storage import highlights, items, libraries, sync, synced_lists
from kept.storage.database.engine import Connection, Database
from kept.storage.synced_lists import ListScope

T = TypeVar("T")
Describe = Callable[[Connection, Sequence[UUID]], T]
# Words are searched in the newest few hundred items; a search without words, such as a tag alone, in all.
MOST_FOUND: Final = 10_000


@dataclass(frozen=True, slots=True)
class SyncedCards:
    cards: Sequence[Card]
    changed_at: Mapping[UUID, datetime]
    """When anything of an item changed last, by the item's id."""
    total: int


@dataclass(frozen=True, slots=True)
class SyncedArticle:
    html: SafeHtml = field(repr=False)
    origins: Mapping[UUID, str] = field(default_factory=dict)
    """The URLs that its images came from, by the id of the image."""


@dataclass(frozen=True, slots=True)
class SyncedItem:
    number: int
    card: Card
    state: SyncState
    tags: tuple[NumberedTag, ...]
    highlights: tuple[NumberedHighlight, ...] = ()
    article: SyncedArticle | None = None
    """The article, if there is one and it was asked for or has highlights."""


@dataclass(frozen=True, slots=True)
class SyncedList:
    items: list[SyncedItem]
    total: int


async def find_synced(
    database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]
) -> tuple[T, int]:
    """Return a page of a list of the viewer's own library for an app, as `describe` reads it, and the number of all."""
    if wanted.searches or not synced_lists.is_counted_apart(wanted, page):
        return await database.read(_find, viewer, wanted, page, describe)
    (described, last), total = await asyncio.gather(
        database.read(_find_first, viewer, wanted, page, describe), database.read(_count, viewer, wanted)
    )
    return described, max(total, last)  # an item may have come between the two


def _find(tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]) -> tuple[T, int]:
    scope = _own_library(tx, viewer)
    among = _search(tx, viewer, scope.library_id, wanted) if wanted.searches else None
    found = synced_lists.find_items(tx, replace(scope, among=among), wanted, page)
    return describe(tx, found.item_ids), found.total


def _find_first(
    tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]
) -> tuple[T, int]:
    """Return the first page as `describe` reads it, and the position of its last item; 0 if the page is empty."""
    found = synced_lists.find_first_items(tx, _own_library(tx, viewer), wanted, page)
    return describe(tx, found), page.offset + len(found) if found else 0


def _count(tx: Connection, viewer: Viewer, wanted: SyncFilter) -> int:
    return synced_lists.count_items(tx, _own_library(tx, viewer), wanted)


def _own_library(tx: Connection, viewer: Viewer) -> ListScope:
    return ListScope(viewer.user_id, libraries.get_default_library_id(tx, viewer.user_id))


def _search(tx: Connection, viewer: Viewer, library_id: UUID, wanted: SyncFilter) -> list[UUID]:
    """Return what a search finds. It includes tags and states, as it finds only the newest of a frequent word."""
    tags = " ".join(f'tag:"{tag}"' for tag in wanted.tags)
    found: dict[UUID, None] = {}
    for text in wanted.searches:
        # the space says that nobody is still typing the last word
        narrowed, query = _narrow(library_id, wanted), parse_search(f"{tags} {text} " if text else "")
        ranked = rank_items(tx, viewer, narrowed, query, range(MOST_FOUND))
        found |= dict.fromkeys(ranked.item_ids)
    return list(found)[:MOST_FOUND]


def _narrow(library_id: UUID, wanted: SyncFilter) -> ItemFilter:
    asked = {field.name: getattr(wanted, field.name) for field in fields(StateFilter)}
    return ItemFilter((library_id,), **asked)


async def list_synced_cards(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedCards:
    """List a page of the viewer's own library for programs that need no numbers: cards, and when each changed."""

    def describe(tx: Connection, item_ids: Sequence[UUID]) -> tuple[Sequence[Card], Mapping[UUID, datetime]]:
        return _describe(tx, viewer, item_ids)

    (cards, changed_at), total = await find_synced(database, viewer, wanted, page, describe)
    return SyncedCards(cards, changed_at, total)


def _describe(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]
) -> tuple[Sequence[Card], Mapping[UUID, datetime]]:
    if not item_ids:
        return (), {}
    cards = {card.item.id: card for card in items.list_cards_by_id(tx, viewer.user_id, item_ids)}
    states = sync.find_states(tx, list(cards))
    changed_at = {key: states[key].changed_at if key in states else cards[key].item.updated_at for key in cards}
    return [cards[item_id] for item_id in item_ids if item_id in cards], changed_at


async def list_synced_items(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    """List a page of the viewer's own library for apps: by offset, with the exact number of all."""

    def describe(tx: Connection, item_ids: Sequence[UUID]) -> list[SyncedItem]:
        return describe_synced(tx, viewer, item_ids, with_articles=page.with_articles)

    return SyncedList(*await find_synced(database, viewer, wanted, page, describe))


def get_synced_card(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[Card, datetime]:
    """Return one card, and when anything about it changed."""
    card = get_card(tx, viewer, item_id)
    state = sync.find_states(tx, [card.item.id]).get(card.item.id)
    return card, state.changed_at if state else card.item.updated_at


def get_synced_item(tx: Connection, viewer: Viewer, item_id: UUID, *, with_article: bool = True) -> SyncedItem:
    """Return one item as an app sees it; raises NotFound."""
    found = describe_synced(tx, viewer, [item_id], with_articles=with_article)
    if not found:
        raise NotFound
    return found[0]


def describe_synced(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, with_articles: bool
) -> list[SyncedItem]:
    """Return items with all that an app shows: numbers, states, tags, highlights and, if wanted, articles.

    The caller has checked the items. They are returned in the order given, without those that are gone meanwhile.
    """
    if not item_ids:
        return []
    cards = {card.item.id: card for card in items.list_cards_by_id(tx, viewer.user_id, item_ids)}
    found = [cards[item_id] for item_id in item_ids if item_id in cards]
    numbered = sync.list_numbers(tx, NumberKind.ITEM, list(cards))
    states, tags = sync.find_states(tx, list(cards)), sync.list_tag_numbers(tx, list(cards))
    marked = _list_highlights(tx, viewer, found)
    articles = _list_articles(tx, [card for card in found if with_articles or card.media.id in marked])
    return [
        SyncedItem(
            numbered[card.item.id],
            card,
            states.get(card.item.id) or SyncState(card.item.updated_at),
            tags.get(card.item.id, ()),
            marked.get(card.media.id, ()),
            articles.get(card.media.id),
        )
        for card in found
        if card.item.id in numbered
    ]


def _list_highlights(
    tx: Connection, viewer: Viewer, cards: Sequence[Card]
) -> dict[UUID, tuple[NumberedHighlight, ...]]:
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id for card in cards])
    every = [highlight.id for some in found.values() for highlight in some]
    numbered = sync.list_numbers(tx, NumberKind.HIGHLIGHT, every)
    return {
        media_id: tuple(NumberedHighlight(numbered[one.id], one) for one in some if one.id in numbered)
        for media_id, some in found.items()
    }


def _list_articles(tx: Connection, cards: Sequence[Card]) -> dict[UUID, SyncedArticle]:
    media_ids = [card.media.id for card in cards if card.media.is_readable]
    if not media_ids:
        return {}
    origins = sync.list_image_origins(tx, media_ids)
    found = sync.list_articles(tx, media_ids)
    return {key: SyncedArticle(_admit(html), origins.get(key, {})) for key, html in found.items()}


def _admit(html: str) -> SafeHtml:
    """Check stored HTML once more, as for a page."""
    admitted = SafeHtml.admit(html)
    if admitted is None:
        raise RuntimeError("a fragment is not the markup that sanitise writes")
    return admitted
