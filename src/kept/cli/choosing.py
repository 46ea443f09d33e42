"""Which user and which library a command is about."""

from uuid import UUID

from kept.bootstrap import Database
from kept.domain.account import Scope, Viewer, parse_user_name
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.services.accounts.users import list_users
from kept.services.libraries.libraries import list_libraries


async def choose_viewer(database: Database, name: str | None) -> Viewer:
    found = await database.read(list_users)
    wanted = [user for user in found if name is None or user.name == parse_user_name(name)]
    if not wanted:
        raise NotFound(f"There is no user named {name}." if name else "There are no users yet: `kept user add NAME`.")
    if len(wanted) > 1:
        raise InvalidRequest("There are several users: choose one with --user.")
    return Viewer(wanted[0], frozenset(Scope))


async def find_library_id(database: Database, viewer: Viewer, wanted: str | None) -> UUID | None:
    if wanted is None:
        return None
    named = await list_named(database, viewer, wanted)
    if not named:
        raise NotFound(f"There is no library named {wanted}.")
    return named[0]


async def find_libraries(database: Database, viewer: Viewer, wanted: str | None) -> LibraryChoice:
    """`all` is every library the user is a member of, unless one of them has that name."""
    if wanted == ALL_LIBRARIES and not await list_named(database, viewer, wanted):
        return ALL_LIBRARIES
    return await find_library_id(database, viewer, wanted)


async def list_named(database: Database, viewer: Viewer, wanted: str) -> list[UUID]:
    found = await database.read(list_libraries, viewer)
    return [library.id for library, _ in found if wanted in {library.name, str(library.id)}]
