"""Bring a removed highlight back, within the hour."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import Highlight
from kept.services.highlights.get_own_highlight import get_own_highlight
from kept.services.highlights.remove_highlight import UNDO_WITHIN
from kept.storage import events, highlights
from kept.storage.database.engine import Connection


def restore_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID, *, now: datetime) -> Highlight:
    """One that was not removed stays as it is."""
    highlights.forget_removed_before(tx, now - UNDO_WITHIN)
    was_removed = highlights.restore_removed(tx, highlight_id, viewer.user_id)
    try:
        restored = get_own_highlight(tx, viewer, highlight_id)
    except NotFound:
        raise NotFound("This can no longer be undone.") from None
    if was_removed:
        events.publish_user_event(tx, viewer.user_id, restored.media_id, HIGHLIGHTS, now)
    return restored
