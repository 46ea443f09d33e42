"""A user by name, for whoever runs the server."""

from kept.domain.account import User, parse_user_name
from kept.domain.errors import NotFound
from kept.storage import users
from kept.storage.database.engine import Database


async def get_user(database: Database, name: str) -> User:
    user = await database.read(users.find_user_by_name, parse_user_name(name))
    if user is None:
        raise NotFound(f"There is no user named {name}.")
    return user
