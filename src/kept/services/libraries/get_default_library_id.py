"""The viewer's personal library."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.storage import libraries
from kept.storage.database.engine import Connection


def get_default_library_id(tx: Connection, viewer: Viewer) -> UUID:
    return libraries.get_default_library_id(tx, viewer.user_id)
