"""Give a page's identity back to the newest older copy that somebody holds, when its newest copy is removed."""

from datetime import datetime
from uuid import UUID

from kept.storage import copies, media
from kept.storage.database.engine import Connection


def restore_previous_copy(tx: Connection, media_id: UUID, now: datetime) -> None:
    removed = media.find_media(tx, media_id)
    previous_id = copies.find_previous_copy(tx, media_id)
    if previous_id is not None and removed is not None and removed.is_readable:
        copies.pass_on_identity(tx, media_id, previous_id, now)
