"""Take a tag off every item of the viewer's own library."""

from datetime import datetime
from typing import Final

from kept.domain.account import Viewer
from kept.storage import items, libraries, synced_items
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index

# Each is indexed again: so nobody who saves waits long for a tag that a hundred thousand items have.
AT_ONCE: Final = 200


async def remove_tag(database: Database, viewer: Viewer, name: str, *, now: datetime) -> None:
    while await database.write(_remove_from_some, viewer, name, now):
        pass


def _remove_from_some(tx: Connection, viewer: Viewer, name: str, now: datetime) -> bool:
    """Whether there are more."""
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    found = synced_items.list_tagged(tx, library_id, name, AT_ONCE)
    for item_id in found:
        items.remove_tags(tx, library_id, item_id, [name])
        items.update_item(tx, item_id, updated_at=now)
    index.index_items(tx, found)
    return len(found) == AT_ONCE
