"""Libraries: creating, renaming and deleting them, and choosing those that a request is about."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_display_name
from kept.domain.errors import NotFound
from kept.domain.library import ALL_LIBRARIES, Library, LibraryChoice, Role, require_admin, require_shared
from kept.ids import new_id
from kept.storage import libraries
from kept.storage.database.engine import Connection


def create_library(tx: Connection, viewer: Viewer, *, name: str, now: datetime) -> Library:
    """Create a library; who creates it is its first admin."""
    name = parse_display_name(name, "A library's name")
    library = Library(new_id(), name, viewer.user_id, is_default=False, created_at=now, updated_at=now)
    _insert_library(tx, library)
    return library


def _insert_library(tx: Connection, library: Library) -> None:
    libraries.insert_library(tx, library)
    libraries.insert_member(tx, library.id, library.owner_id, Role.ADMIN, library.created_at)


def delete_library(tx: Connection, viewer: Viewer, library_id: UUID) -> None:
    """Delete a shared library with its items. What others keep of the same pages stays theirs."""
    require_shared(get_managed_library(tx, viewer, library_id))
    libraries.delete_library(tx, library_id)


def get_library(tx: Connection, viewer: Viewer, library_id: UUID) -> tuple[Library, Role]:
    """Get a library the viewer is a member of, with their role; raises NotFound for any other."""
    found = libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found


def get_managed_library(tx: Connection, viewer: Viewer, library_id: UUID) -> Library:
    """Get a library that the viewer may administer; raises NotFound or Forbidden otherwise."""
    library, role = libraries.find_library(tx, library_id, viewer.user_id) or (None, None)
    require_admin(role)
    assert library is not None
    return library


def list_libraries(tx: Connection, viewer: Viewer) -> list[tuple[Library, Role]]:
    """List the libraries a viewer is a member of, with their role in each; the personal one first."""
    return libraries.list_libraries(tx, viewer.user_id)


def rename_library(tx: Connection, viewer: Viewer, library_id: UUID, *, name: str, now: datetime) -> Library:
    return _rename_library(tx, viewer, library_id, parse_display_name(name, "A library's name"), now)


def _rename_library(tx: Connection, viewer: Viewer, library_id: UUID, name: str, now: datetime) -> Library:
    get_managed_library(tx, viewer, library_id)
    libraries.rename_library(tx, library_id, name, now)
    return get_managed_library(tx, viewer, library_id)


def set_captures_pages(tx: Connection, viewer: Viewer, library_id: UUID, *, wanted: bool, now: datetime) -> Library:
    """Set whether a copy of the whole page is kept of everything that is saved in a library."""
    get_managed_library(tx, viewer, library_id)
    libraries.set_captures_pages(tx, library_id, wanted, now)
    return get_managed_library(tx, viewer, library_id)


def get_default_library_id(tx: Connection, viewer: Viewer) -> UUID:
    return libraries.get_default_library_id(tx, viewer.user_id)


def choose_library(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    """Return the library that something goes into: the one wanted, or the viewer's personal one.

    NotFound or Forbidden is raised where the viewer may not add to the library they want.
    """
    if wanted is None:
        return libraries.get_default_library_id(tx, viewer.user_id)
    return get_managed_library(tx, viewer, wanted).id


def choose_readable_libraries(tx: Connection, viewer: Viewer, wanted: LibraryChoice) -> tuple[UUID, ...]:
    """Return the libraries of a list, search or bulk action: the viewer's own, another, or all, the personal one
    first."""
    if wanted is None:
        return (libraries.get_default_library_id(tx, viewer.user_id),)
    if wanted == ALL_LIBRARIES:
        return tuple(library.id for library, _ in libraries.list_libraries(tx, viewer.user_id))
    if libraries.find_library(tx, wanted, viewer.user_id) is None:
        raise NotFound
    return (wanted,)
