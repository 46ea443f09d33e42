"""Members of a library and their roles."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_user_name
from kept.domain.errors import Conflict, NotFound
from kept.domain.library import Member, Role, require_admin, require_another_admin, require_shared
from kept.services.libraries.libraries import get_managed_library
from kept.storage import libraries, users
from kept.storage.database.engine import Connection


def add_member(
    tx: Connection, viewer: Viewer, library_id: UUID, *, user_name: str, role: Role, now: datetime
) -> Member:
    """Add somebody to a shared library."""
    require_shared(get_managed_library(tx, viewer, library_id))
    user = users.find_user_by_name(tx, parse_user_name(user_name))
    if user is None:
        raise NotFound("There is no user of that name.")
    if any(member.user_id == user.id for member in libraries.list_members(tx, library_id)):
        raise Conflict("%(name)s is a member already.", name=user.name)
    libraries.insert_member(tx, library_id, user.id, role, now)
    return Member(library_id, user.id, user.name, role)


def change_role(tx: Connection, viewer: Viewer, library_id: UUID, user_id: UUID, *, role: Role) -> Member:
    """Change a member's role in a library; the last admin stays one."""
    get_managed_library(tx, viewer, library_id)
    libraries.lock_library(tx, library_id)
    if role is not Role.ADMIN:
        require_another_admin(libraries.list_members(tx, library_id), leaving=user_id)
    if not libraries.update_member_role(tx, library_id, user_id, role):
        raise NotFound
    return next(member for member in libraries.list_members(tx, library_id) if member.user_id == user_id)


def list_members(tx: Connection, viewer: Viewer, library_id: UUID) -> list[Member]:
    """List the members of a library the viewer is a member of."""
    if libraries.find_library(tx, library_id, viewer.user_id) is None:
        raise NotFound
    return libraries.list_members(tx, library_id)


def remove_member(tx: Connection, viewer: Viewer, library_id: UUID, user_id: UUID) -> None:
    """Remove a member from a library, or leave it. Admins remove anybody; everybody but the last admin may leave."""
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
