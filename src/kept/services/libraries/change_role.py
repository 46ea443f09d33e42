"""Change a member's role in a library; the last admin stays one."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Member, Role, require_another_admin
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def change_role(tx: Connection, viewer: Viewer, library_id: UUID, user_id: UUID, *, role: Role) -> Member:
    get_managed_library(tx, viewer, library_id)
    libraries.lock_library(tx, library_id)
    if role is not Role.ADMIN:
        require_another_admin(libraries.list_members(tx, library_id), leaving=user_id)
    if not libraries.update_member_role(tx, library_id, user_id, role):
        raise NotFound
    return next(member for member in libraries.list_members(tx, library_id) if member.user_id == user_id)
