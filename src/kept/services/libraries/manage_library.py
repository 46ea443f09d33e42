"""Libraries: make, rename, remove. What one is no member of does not exist for one."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_display_name
from kept.domain.errors import NotFound
from kept.domain.library import Library, Role, require_admin, require_shared
from kept.ids import new_id
from kept.storage import libraries
from kept.storage.database.engine import AsyncConnection, Database


async def list_libraries(database: Database, viewer: Viewer) -> list[tuple[Library, Role]]:
    async with database.read() as tx:
        return await libraries.list_libraries(tx, viewer.user_id)


async def get_library(database: Database, viewer: Viewer, library_id: UUID) -> tuple[Library, Role]:
    async with database.read() as tx:
        found = await libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found


async def create_library(database: Database, viewer: Viewer, *, name: str, now: datetime) -> Library:
    name = parse_display_name(name, "A library's name")
    library = Library(new_id(), name, viewer.user_id, is_default=False, created_at=now, updated_at=now)
    async with database.write() as tx:
        await libraries.insert_library(tx, library)
        await libraries.insert_member(tx, library.id, viewer.user_id, Role.ADMIN, now)
    return library


async def rename_library(database: Database, viewer: Viewer, library_id: UUID, *, name: str, now: datetime) -> Library:
    name = parse_display_name(name, "A library's name")
    async with database.write() as tx:
        await get_own_library(tx, viewer, library_id)
        await libraries.rename_library(tx, library_id, name, now)
        return await get_own_library(tx, viewer, library_id)


async def delete_library(database: Database, viewer: Viewer, library_id: UUID) -> None:
    async with database.write() as tx:
        require_shared(await get_own_library(tx, viewer, library_id))
        await libraries.delete_library(tx, library_id)


async def get_own_library(tx: AsyncConnection, viewer: Viewer, library_id: UUID) -> Library:
    """A library the viewer may administer; NotFound or Forbidden otherwise."""
    library, role = await libraries.find_library(tx, library_id, viewer.user_id) or (None, None)
    require_admin(role)
    assert library is not None
    return library
