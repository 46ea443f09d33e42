"""Bring removed items back, within the hour."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.services.items.remove_items import UNDO_WITHIN
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import events, items, removed_items, users
from kept.storage.database.engine import Connection, Database
from kept.storage.removed_items import RemovedItem
from kept.storage.search import index


async def restore_items(database: Database, viewer: Viewer, batch_id: UUID, *, now: datetime) -> int:
    """How many came back. A page that was saved again meanwhile stays as it is."""
    return await database.write(_restore, viewer, batch_id, now)


def _restore(tx: Connection, viewer: Viewer, batch_id: UUID, now: datetime) -> int:
    removed_items.forget_before(tx, now - UNDO_WITHIN)
    found = removed_items.take_removed(tx, batch_id, viewer.user_id, now)
    if not found:
        raise NotFound("This can no longer be undone.")
    return sum(_restore_one(tx, viewer, removed, now) for removed in found)


def _restore_one(tx: Connection, viewer: Viewer, removed: RemovedItem, now: datetime) -> bool:
    item = removed.item
    get_managed_library(tx, viewer, item.library_id)
    present = items.find_item_of_media(tx, item.library_id, item.media_id)
    if present is not None:
        items.remember_merge(tx, item.id, present.id)
        return False
    if item.added_by is not None and not users.user_exists(tx, item.added_by):
        item = replace(item, added_by=None)
    items.insert_item(tx, item)
    items.add_tags(tx, item.library_id, item.id, removed.tags)
    index.index_item(tx, item, removed.tags)
    events.publish_item_event(tx, item, "added", now)
    return True
