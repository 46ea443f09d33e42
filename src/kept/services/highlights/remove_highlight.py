"""Remove a highlight; for an hour it can be brought back (`restore_highlight`)."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.events import HIGHLIGHTS
from kept.services.highlights.get_own_highlight import get_own_highlight
from kept.storage import events, highlights
from kept.storage.database.engine import Connection

UNDO_WITHIN: Final = timedelta(hours=1)


def remove_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID, *, now: datetime) -> UUID:
    """The answer is what `restore_highlight` asks for."""
    found = get_own_highlight(tx, viewer, highlight_id)
    highlights.forget_removed_before(tx, now - UNDO_WITHIN)
    highlights.update_highlight(tx, found.id, removed_at=now)
    events.publish_user_event(tx, viewer.user_id, found.media_id, HIGHLIGHTS, now)
    return found.id
