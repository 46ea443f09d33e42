"""Remove a member from a library, or leave it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import require_admin, require_another_admin, require_shared
from kept.storage import libraries
from kept.storage.database.engine import Connection


def remove_member(tx: Connection, viewer: Viewer, library_id: UUID, user_id: UUID) -> None:
    """Admins remove anybody; everybody may leave; the last admin may not."""
    found = libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    library, role = found
    if user_id != viewer.user_id:
        require_admin(role)
    require_shared(library)
    libraries.lock_library(tx, library_id)
    require_another_admin(libraries.list_members(tx, library_id), leaving=user_id)
    if not libraries.delete_member(tx, library_id, user_id):
        raise NotFound
