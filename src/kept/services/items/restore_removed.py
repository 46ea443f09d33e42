"""Put one removed item back into its library, as it was. For a unit of work."""

from dataclasses import replace
from datetime import datetime

from kept.domain.account import Viewer
from kept.services.libraries.libraries import get_managed_library
from kept.storage import events, items, users
from kept.storage.database.engine import Connection
from kept.storage.removed_items import RemovedItem
from kept.storage.search import index


def restore_removed(tx: Connection, viewer: Viewer, removed: RemovedItem, now: datetime) -> bool:
    """False where the page was saved again meanwhile: that item stays as it is."""
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
