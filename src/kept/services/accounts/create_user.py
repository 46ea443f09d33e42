"""Make an account, with its personal library, in one transaction."""

from datetime import datetime

from kept.domain.account import User
from kept.domain.library import Library, Role
from kept.ids import new_id
from kept.storage import libraries, users
from kept.storage.database.engine import AsyncConnection, Database


async def create_user(tx: AsyncConnection, *, name: str, password_hash: str, is_admin: bool, now: datetime) -> User:
    """The caller parses the name and hashes the password: hashing in a transaction would hold up all writers."""
    user = User(new_id(), name, is_admin, now)
    await users.insert_user(tx, user, password_hash)
    library = Library(new_id(), "My library", user.id, is_default=True, created_at=now, updated_at=now)
    await libraries.insert_library(tx, library)
    await libraries.insert_member(tx, library.id, user.id, Role.ADMIN, now)
    return user


async def add_user(database: Database, *, name: str, password_hash: str, is_admin: bool, now: datetime) -> User:
    async with database.write() as tx:
        return await create_user(tx, name=name, password_hash=password_hash, is_admin=is_admin, now=now)
