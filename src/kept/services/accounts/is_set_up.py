"""Whether there is an account yet."""

from kept.storage import users
from kept.storage.database.engine import Database


async def is_set_up(database: Database) -> bool:
    return await database.read(users.any_user_exists)
