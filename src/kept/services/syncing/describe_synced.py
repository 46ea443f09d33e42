"""Items with all that an app is told of them: numbers, states, tags, highlights and, if wanted, articles. For items
the caller has checked, in a transaction of the caller's."""

from collections.abc import Sequence
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.synced import NumberedHighlight, NumberKind, SyncedArticle, SyncedItem, SyncState
from kept.storage import highlights, items, numbers, synced_items
from kept.storage.database.engine import Connection


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
    articles = _list_articles(tx, found) if with_articles else {}
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
    origins = synced_items.list_image_origins(tx, media_ids)
    found = synced_items.list_articles(tx, media_ids)
    return {media_id: SyncedArticle(html, origins.get(media_id, {})) for media_id, html in found.items()}
