"""Tags of a viewer's own library, as apps create, list and remove them."""

from datetime import datetime
from typing import Final

from kept.domain.account import Viewer
from kept.domain.item import parse_tag
from kept.domain.synced import NumberedTag, NumberKind
from kept.ids import new_id
from kept.storage import items, libraries, sync
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index

# Each item is indexed again, so that nobody who saves waits long for a tag that a hundred thousand items have.
AT_ONCE: Final = 200


def create_tag(tx: Connection, viewer: Viewer, name: str) -> NumberedTag:
    """Create a tag in the viewer's own library before any item has it; one that exists is returned."""
    return _create(tx, viewer, parse_tag(name))


def _create(tx: Connection, viewer: Viewer, name: str) -> NumberedTag:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    tag_id = sync.ensure_tag(tx, library_id, new_id(), name)
    return NumberedTag(sync.list_numbers(tx, NumberKind.TAG, [tag_id])[tag_id], name)


async def remove_tag(database: Database, viewer: Viewer, name: str, *, now: datetime) -> None:
    """Remove a tag from every item of the viewer's own library."""
    while await database.write(_remove_from_some, viewer, name, now):
        pass


def _remove_from_some(tx: Connection, viewer: Viewer, name: str, now: datetime) -> bool:
    """Remove the tag from some items; return whether there are more."""
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    found = sync.list_tagged(tx, library_id, name, AT_ONCE)
    for item_id in found:
        items.remove_tags(tx, library_id, item_id, [name])
        items.update_item(tx, item_id, updated_at=now)
    index.index_items(tx, found)
    return len(found) == AT_ONCE


def list_numbered_tags(tx: Connection, viewer: Viewer, *, with_unused: bool = False) -> list[NumberedTag]:
    """List the tags of the viewer's own library, with their numbers."""
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    return sync.list_tags(tx, library_id, with_unused=with_unused)
