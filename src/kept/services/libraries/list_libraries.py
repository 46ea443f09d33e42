"""The libraries a viewer is a member of, with their role in each; the personal one first."""

from kept.domain.account import Viewer
from kept.domain.library import Library, Role
from kept.storage import libraries
from kept.storage.database.engine import Database


async def list_libraries(database: Database, viewer: Viewer) -> list[tuple[Library, Role]]:
    return await database.read(libraries.list_libraries, viewer.user_id)
