"""Every account, for who looks after the server; the entry point asks for that."""

from kept.domain.account import User
from kept.storage import users
from kept.storage.database.engine import Database


async def list_users(database: Database) -> list[User]:
    async with database.read() as tx:
        return await users.list_users(tx)
