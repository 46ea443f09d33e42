"""Change one's own reading state of an item: favourite, archived, read, progress."""

from dataclasses import dataclass, replace
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.item import Card, ReadingState
from kept.services.pages.cards import put_reading_state
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChange:
    """None leaves it as it is."""

    is_favourite: bool | None = None
    is_archived: bool | None = None
    is_read: bool | None = None
    progress: float | None = None


def change_reading_state(
    tx: Connection, viewer: Viewer, card: Card, change: ReadingChange, now: datetime
) -> ReadingState:
    """The state afterwards; the viewer's other open pages are told if it changed."""
    state = _apply(card.reading, change, now)
    if state != card.reading:
        put_reading_state(tx, viewer, card.media.id, state, now)
    return state


def _apply(state: ReadingState, change: ReadingChange, now: datetime) -> ReadingState:
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
    return state
