"""The viewer's personal library."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.storage import libraries
from kept.storage.database.engine import Database


async def get_default_library_id(database: Database, viewer: Viewer) -> UUID:
    return await database.read(libraries.get_default_library_id, viewer.user_id)
