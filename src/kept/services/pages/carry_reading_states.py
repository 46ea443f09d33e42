"""Reading states go along with a library's members when another copy of a page takes the place of the one they read."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.storage import items, libraries
from kept.storage.database.engine import Connection


def carry_reading_states(tx: Connection, library_id: UUID, old_id: UUID, media_id: UUID, now: datetime) -> None:
    """What was a favourite still is; where one was in the text may no longer be true."""
    members = {member.user_id for member in libraries.list_members(tx, library_id)}
    for user_id, state in items.list_reading_states(tx, old_id).items():
        if user_id in members:
            items.put_reading_state(tx, user_id, media_id, replace(state, progress=0.0), now)
