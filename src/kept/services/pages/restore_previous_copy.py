"""Give a page's identity back to the newest older copy that somebody holds, when its newest copy is removed.

Highlights go back with it, of those who hold that copy.
"""

from datetime import datetime
from uuid import UUID

from kept.services.pages.queue_anchoring import queue_anchoring
from kept.storage import copies, highlights, media
from kept.storage.database.engine import Connection


def restore_previous_copy(tx: Connection, media_id: UUID, now: datetime) -> None:
    removed = media.find_media(tx, media_id)
    previous_id = copies.find_previous_copy(tx, media_id)
    if previous_id is not None and removed is not None and removed.is_readable:
        copies.pass_on_identity(tx, media_id, previous_id, now)
        holders = highlights.list_owners(tx, media_id) & highlights.list_holders(tx, previous_id)
        highlights.move_highlights(tx, media_id, previous_id, holders)
        queue_anchoring(tx, previous_id, now=now)
