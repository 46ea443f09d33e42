"""Set a new password for somebody, as whoever runs the server; ends all their sessions, and their tokens if wished."""

from uuid import UUID

from kept.domain.account import parse_password
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Connection, Database


async def reset_password(
    database: Database, passwords: Passwords, user_id: UUID, password: str, *, revoke_tokens: bool = False
) -> int:
    """How many tokens were revoked."""
    password_hash = await passwords.hash(parse_password(password))
    return await database.write(_store_password, user_id, password_hash, revoke_tokens=revoke_tokens)


def _store_password(tx: Connection, user_id: UUID, password_hash: str, *, revoke_tokens: bool) -> int:
    users.update_password_hash(tx, user_id, password_hash)
    users.delete_sessions_of(tx, user_id)
    return users.delete_tokens_of(tx, user_id) if revoke_tokens else 0
