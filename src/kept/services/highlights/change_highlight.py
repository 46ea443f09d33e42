"""Change the colour of a highlight, or its note."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.colour import Colour
from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import Highlight, parse_highlight_note
from kept.services.highlights.get_own_highlight import get_own_highlight
from kept.storage import events, highlights
from kept.storage.database.engine import Connection
from kept.storage.search import index


@dataclass(frozen=True, slots=True)
class HighlightChange:
    colour: Colour | None = None
    """None leaves it as it is."""
    note: str | None = None
    changes_note: bool = False
    """Then a note of None, or of nothing but white space, removes it."""


def change_highlight(
    tx: Connection, viewer: Viewer, highlight_id: UUID, change: HighlightChange, *, now: datetime
) -> Highlight:
    found = get_own_highlight(tx, viewer, highlight_id)
    note = parse_highlight_note(change.note) if change.changes_note else found.note
    colour = change.colour or found.colour
    if (note, colour) == (found.note, found.colour):
        return found
    highlights.update_highlight(tx, found.id, colour=colour, note=note, updated_at=now)
    events.publish_user_event(tx, viewer.user_id, found.media_id, HIGHLIGHTS, now)
    changed = get_own_highlight(tx, viewer, highlight_id)
    if note != found.note:
        index.index_highlights(tx, [changed])
    if len(note or "") > len(found.note or ""):
        highlights.measure_room(tx, viewer.user_id, found.media_id).require()
    return changed
