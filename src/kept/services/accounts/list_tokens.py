"""A user's own API tokens."""

from kept.domain.account import ApiToken, Viewer
from kept.storage import users
from kept.storage.database.engine import Database


async def list_tokens(database: Database, viewer: Viewer) -> list[ApiToken]:
    return await database.read(users.list_tokens, viewer.user_id)
