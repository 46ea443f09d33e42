"""A user's own web sessions: list, end."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.storage import users
from kept.storage.database.engine import Database
from kept.storage.users import Session


async def list_sessions(database: Database, viewer: Viewer, *, now: datetime) -> list[Session]:
    async with database.read() as tx:
        return await users.list_sessions(tx, viewer.user_id, now)


async def end_session(database: Database, viewer: Viewer, session_id: UUID) -> None:
    async with database.write() as tx:
        if not await users.delete_session(tx, viewer.user_id, session_id):
            raise NotFound
