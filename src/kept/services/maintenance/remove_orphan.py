"""The unit of work that removes one media, if no library holds it."""

from datetime import datetime
from uuid import UUID

from kept.domain.job import JobKind
from kept.domain.media import Media
from kept.services.pages.copies import restore_previous_copy
from kept.storage import media, orphans
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def remove_orphan(tx: Connection, media_id: UUID, now: datetime) -> Media | None:
    """The media that went. It cannot race a save: the media is locked before it is judged, and a save that comes a
    moment later finds its URL unknown and makes the page anew."""
    if not orphans.lock_if_orphan(tx, media_id):
        return None
    found = media.find_media(tx, media_id)
    restore_previous_copy(tx, media_id, now)
    for kind in JobKind:
        queue.cancel(tx, kind, media_id)
    media.delete_media(tx, media_id)
    return found
