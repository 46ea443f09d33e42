"""Items with all that an app is told of them: numbers, states, tags, highlights and, if wanted, articles. For items
the caller has checked, in a transaction of the caller's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.synced import NumberedHighlight, NumberedTag, NumberKind, SyncState
from kept.storage import highlights, items, numbers, synced_items
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class SyncedArticle:
    html: SafeHtml = field(repr=False)
    origins: Mapping[UUID, str] = field(default_factory=dict)
    """Where its images came from."""


@dataclass(frozen=True, slots=True)
class SyncedItem:
    number: int
    card: Card
    state: SyncState
    tags: tuple[NumberedTag, ...]
    highlights: tuple[NumberedHighlight, ...] = ()
    article: SyncedArticle | None = None
    """Where there is one, and it was asked for or has highlights."""


@dataclass(frozen=True, slots=True)
class SyncedList:
    items: list[SyncedItem]
    total: int


def describe_synced(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, with_articles: bool
) -> list[SyncedItem]:
    """In the order they are asked for; what is gone meanwhile is left out."""
    if not item_ids:
        return []
    cards = {card.item.id: card for card in items.list_cards_by_id(tx, viewer.user_id, item_ids)}
    found = [cards[item_id] for item_id in item_ids if item_id in cards]
    numbered = numbers.list_numbers(tx, NumberKind.ITEM, list(cards))
    states, tags = synced_items.find_states(tx, list(cards)), synced_items.list_tag_numbers(tx, list(cards))
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
    numbered = numbers.list_numbers(tx, NumberKind.HIGHLIGHT, every)
    return {
        media_id: tuple(NumberedHighlight(numbered[one.id], one) for one in some if one.id in numbered)
        for media_id, some in found.items()
    }


def _list_articles(tx: Connection, cards: Sequence[Card]) -> dict[UUID, SyncedArticle]:
    media_ids = [card.media.id for card in cards if card.media.is_readable]
    if not media_ids:
        return {}
    origins = synced_items.list_image_origins(tx, media_ids)
    found = synced_items.list_articles(tx, media_ids)
    return {key: SyncedArticle(_admit(html), origins.get(key, {})) for key, html in found.items()}


def _admit(html: str) -> SafeHtml:
    """What was stored is checked again, as for a page."""
    admitted = SafeHtml.admit(html)
    if admitted is None:
        raise RuntimeError("a fragment is not the markup that sanitise writes")
    return admitted
