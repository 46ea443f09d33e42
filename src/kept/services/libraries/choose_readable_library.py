"""The library a list or a search is about: the viewer's own, or another they are a member of."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.storage import libraries
from kept.storage.database.engine import Connection


def choose_readable_library(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    if wanted is None:
        return libraries.get_default_library_id(tx, viewer.user_id)
    if libraries.find_library(tx, wanted, viewer.user_id) is None:
        raise NotFound
    return wanted
