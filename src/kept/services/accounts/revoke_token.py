"""Revoke one of a user's own API tokens."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.storage import users
from kept.storage.database.engine import Database


async def revoke_token(database: Database, viewer: Viewer, token_id: UUID) -> None:
    if not await database.write(users.delete_token, viewer.user_id, token_id):
        raise NotFound
