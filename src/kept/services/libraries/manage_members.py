"""Members of a library: invite, change role, remove, leave."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_user_name
from kept.domain.errors import Conflict, NotFound
from kept.domain.library import Member, Role, require_admin, require_another_admin, require_shared
from kept.services.libraries.manage_library import get_own_library
from kept.storage import libraries, users
from kept.storage.database.engine import Database


async def list_members(database: Database, viewer: Viewer, library_id: UUID) -> list[Member]:
    async with database.read() as tx:
        if await libraries.find_library(tx, library_id, viewer.user_id) is None:
            raise NotFound
        return await libraries.list_members(tx, library_id)


async def add_member(
    database: Database, viewer: Viewer, library_id: UUID, *, user_name: str, role: Role, now: datetime
) -> Member:
    async with database.write() as tx:
        require_shared(await get_own_library(tx, viewer, library_id))
        user = await users.find_user_by_name(tx, parse_user_name(user_name))
        if user is None:
            raise NotFound("There is no user of that name.")
        if any(member.user_id == user.id for member in await libraries.list_members(tx, library_id)):
            raise Conflict(f"{user.name} is a member already.")
        await libraries.insert_member(tx, library_id, user.id, role, now)
        return Member(library_id, user.id, user.name, role)


async def change_role(database: Database, viewer: Viewer, library_id: UUID, user_id: UUID, *, role: Role) -> Member:
    async with database.write() as tx:
        await get_own_library(tx, viewer, library_id)
        await libraries.lock_library(tx, library_id)
        members = await libraries.list_members(tx, library_id)
        if role is not Role.ADMIN:
            require_another_admin(members, leaving=user_id)
        if not await libraries.update_member_role(tx, library_id, user_id, role):
            raise NotFound
        return next(member for member in await libraries.list_members(tx, library_id) if member.user_id == user_id)


async def remove_member(database: Database, viewer: Viewer, library_id: UUID, user_id: UUID) -> None:
    """Admins remove anybody; everybody may leave; the last admin may not."""
    async with database.write() as tx:
        found = await libraries.find_library(tx, library_id, viewer.user_id)
        if found is None:
            raise NotFound
        library, role = found
        if user_id != viewer.user_id:
            require_admin(role)
        require_shared(library)
        await libraries.lock_library(tx, library_id)
        require_another_admin(await libraries.list_members(tx, library_id), leaving=user_id)
        if not await libraries.delete_member(tx, library_id, user_id):
            raise NotFound
