"""Take items out of their libraries; for a while they can be brought back (`restore_items`)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.ids import new_id
from kept.services.items.get_card import get_card
from kept.storage import events, items, removed_items
from kept.storage.database.engine import Connection, Database

UNDO_WITHIN: Final = timedelta(hours=1)


async def remove_items(database: Database, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> UUID:
    """All of them or none. The answer is what `restore_items` asks for."""
    batch_id = new_id()
    await database.write(_remove, viewer, item_ids, batch_id, now)
    return batch_id


def _remove(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], batch_id: UUID, now: datetime) -> None:
    cards = [get_card(tx, viewer, item_id, to_change=True) for item_id in item_ids]
    removed_items.forget_before(tx, now - UNDO_WITHIN)
    removed_items.remember_removed(tx, batch_id, viewer.user_id, cards, now)
    for card in cards:
        events.publish_item_event(tx, card.item, "removed", now)
        items.delete_item(tx, card.item.id)
