"""Every account, for who looks after the server; the entry point asks for that."""

from kept.domain.account import User
from kept.storage import users
from kept.storage.database.engine import Database


async def list_users(database: Database) -> list[User]:
    return await database.read(users.list_users)
