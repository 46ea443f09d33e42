"""A library the viewer may administer; NotFound or Forbidden otherwise. For a unit of work."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.library import Library, require_admin
from kept.storage import libraries
from kept.storage.database.engine import Connection


def get_managed_library(tx: Connection, viewer: Viewer, library_id: UUID) -> Library:
    library, role = libraries.find_library(tx, library_id, viewer.user_id) or (None, None)
    require_admin(role)
    assert library is not None
    return library
