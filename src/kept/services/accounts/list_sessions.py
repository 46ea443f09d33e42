"""A user's own web sessions."""

from datetime import datetime

from kept.domain.account import Session, Viewer
from kept.storage import users
from kept.storage.database.engine import Connection


def list_sessions(tx: Connection, viewer: Viewer, *, now: datetime) -> list[Session]:
    return users.list_sessions(tx, viewer.user_id, now)
