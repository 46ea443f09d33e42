"""Store a user's reading state of a media, and tell their open pages."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import ReadingState
from kept.storage import events, items
from kept.storage.database.engine import Connection


def put_reading_state(tx: Connection, viewer: Viewer, media_id: UUID, state: ReadingState, now: datetime) -> None:
    items.put_reading_state(tx, viewer.user_id, media_id, state, now)
    events.publish_user_event(tx, viewer.user_id, media_id, "reading", now)
