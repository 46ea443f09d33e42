"""A page of the viewer's own library for programs that need no numbers: cards, and when anything of each changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.syncing.find_synced import find_synced
from kept.storage import items, synced_items
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class SyncedCards:
    cards: Sequence[Card]
    changed_at: Mapping[UUID, datetime]
    """By item."""
    total: int


async def list_synced_cards(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedCards:
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
    states = synced_items.find_states(tx, list(cards))
    changed_at = {key: states[key].changed_at if key in states else cards[key].item.updated_at for key in cards}
    return [cards[item_id] for item_id in item_ids if item_id in cards], changed_at
