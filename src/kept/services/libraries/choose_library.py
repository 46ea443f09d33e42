"""The library that something goes into: the one wanted, or the viewer's personal one. For a unit of work."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def choose_library(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    """NotFound or Forbidden where the viewer may not add to the library they want."""
    if wanted is None:
        return libraries.get_default_library_id(tx, viewer.user_id)
    return get_managed_library(tx, viewer, wanted).id
