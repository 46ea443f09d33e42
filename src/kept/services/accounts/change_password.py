"""Change one's own password; whoever else was signed in with the old one is signed out, and tokens end if wished."""

from dataclasses import dataclass

from kept.domain.account import Viewer, parse_password
from kept.domain.errors import Forbidden
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class PasswordChange:
    current: str
    new: str
    revoke_tokens: bool = False


async def change_password(database: Database, passwords: Passwords, viewer: Viewer, change: PasswordChange) -> None:
    """The session this comes from stays; a stolen one ends."""
    parsed = parse_password(change.new)
    found = await database.read(users.find_password_hash, viewer.user.name)
    if found is None or not await passwords.verify(found[1], change.current):
        raise Forbidden("The current password is wrong.")
    password_hash = await passwords.hash(parsed)
    await database.write(_store_password, viewer, password_hash, revoke_tokens=change.revoke_tokens)


def _store_password(tx: Connection, viewer: Viewer, password_hash: str, *, revoke_tokens: bool) -> None:
    users.update_password_hash(tx, viewer.user_id, password_hash)
    users.delete_other_sessions(tx, viewer.user_id, keep=viewer.session_id)
    if revoke_tokens:
        users.delete_tokens_of(tx, viewer.user_id)
