"""Add somebody to a shared library."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_user_name
from kept.domain.errors import Conflict, NotFound
from kept.domain.library import Member, Role, require_shared
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries, users
from kept.storage.database.engine import Connection


def add_member(
    tx: Connection, viewer: Viewer, library_id: UUID, *, user_name: str, role: Role, now: datetime
) -> Member:
    require_shared(get_managed_library(tx, viewer, library_id))
    user = users.find_user_by_name(tx, parse_user_name(user_name))
    if user is None:
        raise NotFound("There is no user of that name.")
    if any(member.user_id == user.id for member in libraries.list_members(tx, library_id)):
        raise Conflict(f"{user.name} is a member already.")
    libraries.insert_member(tx, library_id, user.id, role, now)
    return Member(library_id, user.id, user.name, role)
