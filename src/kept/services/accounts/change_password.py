"""Change one's own password; whoever else was signed in with the old one is signed out."""

from uuid import UUID

from kept.domain.account import Viewer, parse_password
from kept.domain.errors import Forbidden
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Connection, Database


async def change_password(database: Database, passwords: Passwords, viewer: Viewer, *, current: str, new: str) -> None:
    """The session this comes from stays; a stolen one ends."""
    parsed = parse_password(new)
    found = await database.read(users.find_password_hash, viewer.user.name)
    if found is None or not await passwords.verify(found[1], current):
        raise Forbidden("The current password is wrong.")
    await database.write(_store_password, viewer.user_id, await passwords.hash(parsed), viewer.session_id)


def _store_password(tx: Connection, user_id: UUID, password_hash: str, session_id: UUID | None) -> None:
    users.update_password_hash(tx, user_id, password_hash)
    users.delete_other_sessions(tx, user_id, keep=session_id)
