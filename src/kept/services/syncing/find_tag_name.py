"""The name behind a tag's number, in the viewer's own library."""

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.synced import NumberKind
from kept.services.syncing.resolve_number import resolve_number
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection, Database


async def find_tag_name(database: Database, viewer: Viewer, number: int) -> str:
    return await database.read(_find, viewer, number)


def _find(tx: Connection, viewer: Viewer, number: int) -> str:
    tag_id = resolve_number(tx, viewer, NumberKind.TAG, number)
    name = synced_items.find_tag(tx, libraries.get_default_library_id(tx, viewer.user_id), tag_id)
    if name is None:
        raise NotFound
    return name
