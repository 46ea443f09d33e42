"""The libraries a list, a search or a bulk action is about: the viewer's own, another one, or all they may read."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.storage import libraries
from kept.storage.database.engine import Connection


def choose_readable_libraries(tx: Connection, viewer: Viewer, wanted: LibraryChoice) -> tuple[UUID, ...]:
    """The personal one first."""
    if wanted is None:
        return (libraries.get_default_library_id(tx, viewer.user_id),)
    if wanted == ALL_LIBRARIES:
        return tuple(library.id for library, _ in libraries.list_libraries(tx, viewer.user_id))
    if libraries.find_library(tx, wanted, viewer.user_id) is None:
        raise NotFound
    return (wanted,)
