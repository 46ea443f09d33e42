"""Take back what the viewer changed or removed a while ago, by the id of its batch."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import ItemUndo
from kept.domain.errors import Forbidden, NotFound
from kept.domain.item import Card
from kept.services.items.move_to_library import move_to_library
from kept.services.items.restore_items import restore_items
from kept.services.pages.bulk import UNDO_WITHIN
from kept.services.pages.cards import get_card, put_reading_state
from kept.storage import events, items, undo_batches
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index


async def undo_batch(database: Database, viewer: Viewer, batch_id: UUID, *, now: datetime) -> list[UUID]:
    """The items that are as they were. NotFound if it can no longer be undone."""
    undone = await database.write(_undo, viewer, batch_id, now)
    return await database.write(restore_items, viewer, batch_id, now=now) if undone is None else undone


def _undo(tx: Connection, viewer: Viewer, batch_id: UUID, now: datetime) -> list[UUID] | None:
    undo_batches.forget_before(tx, now - UNDO_WITHIN)
    changes = undo_batches.take_batch(tx, batch_id, viewer.user_id)
    if changes is None:
        return None
    return [item_id for change in changes if (item_id := _undo_one(tx, viewer, change, now)) is not None]


def _undo_one(tx: Connection, viewer: Viewer, undo: ItemUndo, now: datetime) -> UUID | None:
    """None for an item that is gone, or that the viewer may no longer change."""
    is_shared = bool(undo.add_tags or undo.remove_tags or undo.library_id)
    try:
        card = get_card(tx, viewer, undo.item_id, to_change=is_shared)
        if undo.library_id is not None:
            card = move_to_library(tx, viewer, card.item.id, undo.library_id, now)
    except (NotFound, Forbidden):
        return None
    if undo.reading:
        put_reading_state(tx, viewer, card.media.id, replace(card.reading, **undo.reading), now)  # type: ignore[arg-type]
    if undo.add_tags or undo.remove_tags:
        _undo_tags(tx, card, undo, now)
    return card.item.id


def _undo_tags(tx: Connection, card: Card, undo: ItemUndo, now: datetime) -> None:
    items.remove_tags(tx, card.item.library_id, card.item.id, undo.remove_tags)
    items.add_tags(tx, card.item.library_id, card.item.id, undo.add_tags)
    items.update_item(tx, card.item.id, updated_at=now)
    index.index_items(tx, [card.item.id])
    events.publish_item_event(tx, card.item, "changed", now)
