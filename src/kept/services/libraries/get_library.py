"""A library the viewer is a member of, with their role in it. Any other does not exist for them."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Library, Role
from kept.storage import libraries
from kept.storage.database.engine import Database


async def get_library(database: Database, viewer: Viewer, library_id: UUID) -> tuple[Library, Role]:
    found = await database.read(libraries.find_library, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found
