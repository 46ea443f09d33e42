"""The tags of the viewer's own library, with their numbers."""

from kept.domain.account import Viewer
from kept.domain.synced import NumberedTag
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection


def list_numbered_tags(tx: Connection, viewer: Viewer, *, with_unused: bool = False) -> list[NumberedTag]:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    return synced_items.list_tags(tx, library_id, with_unused=with_unused)
