"""The members of a library the viewer is a member of."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Member
from kept.storage import libraries
from kept.storage.database.engine import Connection


def list_members(tx: Connection, viewer: Viewer, library_id: UUID) -> list[Member]:
    if libraries.find_library(tx, library_id, viewer.user_id) is None:
        raise NotFound
    return libraries.list_members(tx, library_id)
