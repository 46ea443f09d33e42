"""The libraries an export is of: all the viewer can see, or the one that is asked for."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def choose_libraries(tx: Connection, viewer: Viewer, library_id: UUID | None) -> tuple[Library, ...]:
    if library_id is None:
        return tuple(library for library, _ in libraries.list_libraries(tx, viewer.user_id))
    found = libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return (found[0],)
