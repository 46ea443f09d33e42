"""Create a library; who creates it is its first admin."""

from datetime import datetime

from kept.domain.account import Viewer, parse_display_name
from kept.domain.library import Library, Role
from kept.ids import new_id
from kept.storage import libraries
from kept.storage.database.engine import Connection, Database


async def create_library(database: Database, viewer: Viewer, *, name: str, now: datetime) -> Library:
    name = parse_display_name(name, "A library's name")
    library = Library(new_id(), name, viewer.user_id, is_default=False, created_at=now, updated_at=now)
    await database.write(_insert_library, library)
    return library


def _insert_library(tx: Connection, library: Library) -> None:
    libraries.insert_library(tx, library)
    libraries.insert_member(tx, library.id, library.owner_id, Role.ADMIN, library.created_at)
