"""Get one of a person's own imports."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.importing import Import
from kept.storage import imports
from kept.storage.database.engine import Connection


def get_import(tx: Connection, viewer: Viewer, import_id: UUID, *, lock: bool = False) -> Import:
    found = imports.find_import(tx, import_id, lock=lock)
    if found is None or found.user_id != viewer.user_id:
        raise NotFound
    return found
