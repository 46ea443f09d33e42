"""Take items out of their libraries; for thirty days they can be brought back (`restore_items`)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Forbidden, NotFound
from kept.domain.item import Card
from kept.ids import new_id
from kept.services.pages.cards import get_card
from kept.storage import events, items, removed_items
from kept.storage.database.engine import Connection

RESTORE_WITHIN: Final = timedelta(days=30)


def remove_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> BulkResult:
    """Its `undo` is what `restore_items` asks for. An error if the only item can not be removed."""
    return _remove(tx, viewer, list(dict.fromkeys(item_ids)), new_id(), now)


def _remove(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], batch_id: UUID, now: datetime) -> BulkResult:
    cards = _list_removable(tx, viewer, item_ids)
    removed_items.forget_before(tx, now - RESTORE_WITHIN)
    removed_items.remember_removed(tx, batch_id, viewer.user_id, cards, now)
    for card in cards:
        events.publish_item_event(tx, card.item, "removed", now)
        items.delete_item(tx, card.item.id)
    removed = tuple(card.item.id for card in cards)
    return BulkResult(removed, refused=len(item_ids) - len(cards), undo=batch_id if cards else None)


def _list_removable(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]) -> list[Card]:
    cards = []
    for item_id in item_ids:
        try:
            cards.append(get_card(tx, viewer, item_id, to_change=True))
        except (NotFound, Forbidden):
            if len(item_ids) == 1:
                raise
    return cards
