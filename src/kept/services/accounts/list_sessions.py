"""A user's own web sessions."""

from datetime import datetime

from kept.domain.account import Session, Viewer
from kept.storage import users
from kept.storage.database.engine import Database


async def list_sessions(database: Database, viewer: Viewer, *, now: datetime) -> list[Session]:
    return await database.read(users.list_sessions, viewer.user_id, now)
