"""The tags of the viewer's own library, with their numbers."""

from kept.domain.account import Viewer
from kept.domain.synced import NumberedTag
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection, Database


async def list_numbered_tags(database: Database, viewer: Viewer, *, with_unused: bool = False) -> list[NumberedTag]:
    return await database.read(_list, viewer, with_unused)


def _list(tx: Connection, viewer: Viewer, with_unused: bool) -> list[NumberedTag]:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    return synced_items.list_tags(tx, library_id, with_unused=with_unused)
