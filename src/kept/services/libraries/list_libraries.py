"""The libraries a viewer is a member of, with their role in each; the personal one first."""

from kept.domain.account import Viewer
from kept.domain.library import Library, Role
from kept.storage import libraries
from kept.storage.database.engine import Connection


def list_libraries(tx: Connection, viewer: Viewer) -> list[tuple[Library, Role]]:
    return libraries.list_libraries(tx, viewer.user_id)
