"""End one of a user's own web sessions."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.storage import users
from kept.storage.database.engine import Database


async def end_session(database: Database, viewer: Viewer, session_id: UUID) -> None:
    if not await database.write(users.delete_session, viewer.user_id, session_id):
        raise NotFound
