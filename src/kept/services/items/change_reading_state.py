"""Change one's own reading state of an item: favourite, archived, read, progress."""

from dataclasses import dataclass, replace
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.item import Card
from kept.storage import items
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChange:
    """None leaves it as it is."""

    is_favourite: bool | None = None
    is_archived: bool | None = None
    is_read: bool | None = None
    progress: float | None = None


def change_reading_state(tx: Connection, viewer: Viewer, card: Card, change: ReadingChange, now: datetime) -> None:
    state = card.reading
    if change.is_favourite is not None:
        state = replace(state, is_favourite=change.is_favourite)
    if change.is_archived is not None:
        state = replace(state, is_archived=change.is_archived)
    if change.is_read is not None:
        state = replace(state, read_at=(state.read_at or now) if change.is_read else None)
    if change.progress is not None:
        if not 0 <= change.progress <= 1:
            raise InvalidRequest("Progress is a share between 0 and 1.")
        state = replace(state, progress=change.progress)
    if state != card.reading:
        items.put_reading_state(tx, viewer.user_id, card.media.id, state, now)
