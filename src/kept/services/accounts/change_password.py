"""Change one's own password; whoever else was signed in with the old one is signed out."""

from kept.domain.account import Viewer, parse_password
from kept.domain.errors import Forbidden
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Database


async def change_password(database: Database, passwords: Passwords, viewer: Viewer, *, current: str, new: str) -> None:
    """The session this comes from stays; a stolen one ends."""
    parsed = parse_password(new)
    async with database.read() as tx:
        found = await users.find_password_hash(tx, viewer.user.name)
    if found is None or not await passwords.verify(found[1], current):
        raise Forbidden("The present password is not right.")
    password_hash = await passwords.hash(parsed)
    async with database.write() as tx:
        await users.update_password_hash(tx, viewer.user_id, password_hash)
        await users.delete_other_sessions(tx, viewer.user_id, keep=viewer.session_id)
