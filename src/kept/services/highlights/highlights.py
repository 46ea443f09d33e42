"""Creating, changing, removing and restoring a highlight."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.content.article.highlights.anchoring import find_quote, quote_at
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, NotFound, QuoteNotFound
from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import Colour, Highlight, NewHighlight, Quote, Span, parse_highlight_note
from kept.ids import new_id
from kept.services.pages.cards import get_visible_media
from kept.storage import articles, events, highlights
from kept.storage.articles import Fragment
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index

UNDO_WITHIN: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Place:
    span: Span
    quote: Quote
    canonical_version: int


@dataclass(frozen=True, slots=True)
class HighlightChange:
    colour: Colour | None = None
    """None leaves the colour as it is."""
    note: str | None = None
    changes_note: bool = False
    """Whether the note changes; a `note` of None or only white space then removes the present one."""


async def create_highlight(
    database: Database, viewer: Viewer, media_id: UUID, new: NewHighlight, *, now: datetime
) -> Highlight:
    """Mark a passage of an article: its place is found in the canonical text, then it is stored.

    The text is searched outside of any transaction: that takes longer than to write a row.
    """
    fragment = await database.read(_get_fragment, viewer, media_id)
    place = await asyncio.to_thread(_find_place, fragment, new)
    return await database.write(_insert, viewer, media_id, new, place, now)


def _get_fragment(tx: Connection, viewer: Viewer, media_id: UUID) -> Fragment:
    media = get_visible_media(tx, viewer, media_id)
    fragment = articles.find_fragment(tx, media.id) if media.is_readable else None
    if fragment is None:
        raise Conflict("This article is not ready for reading.")
    return fragment


def _find_place(fragment: Fragment, new: NewHighlight) -> _Place:
    span = find_quote(fragment.canonical_text, new.quote, new.hint)
    if span is None:
        raise QuoteNotFound
    return _Place(span, quote_at(fragment.canonical_text, span), fragment.canonical_version)


def _insert(
    tx: Connection, viewer: Viewer, media_id: UUID, new: NewHighlight, place: _Place, now: datetime
) -> Highlight:
    """Insert a highlight. Its place is still true, because a media that has an article keeps it."""
    media = get_visible_media(tx, viewer, media_id)
    highlights.measure_room(tx, viewer.user_id, media.id).add(place.quote, new.note).require()
    highlight = Highlight(
        id=new_id(),
        user_id=viewer.user_id,
        media_id=media.id,
        span=place.span,
        quote=place.quote,
        colour=new.colour,
        note=new.note,
        anchored_version=place.canonical_version,
        created_at=now,
        updated_at=now,
    )
    highlights.insert_highlights(tx, [highlight])
    index.index_highlights(tx, [highlight])
    events.publish_user_event(tx, viewer.user_id, media.id, HIGHLIGHTS, now)
    return highlight


def change_highlight(
    tx: Connection, viewer: Viewer, highlight_id: UUID, change: HighlightChange, *, now: datetime
) -> Highlight:
    """Change the colour of a highlight, or its note."""
    highlight = get_own_highlight(tx, viewer, highlight_id)
    note = parse_highlight_note(change.note) if change.changes_note else highlight.note
    colour = change.colour or highlight.colour
    if (note, colour) == (highlight.note, highlight.colour):
        return highlight
    highlights.update_highlight(tx, highlight.id, colour=colour, note=note, updated_at=now)
    events.publish_user_event(tx, viewer.user_id, highlight.media_id, HIGHLIGHTS, now)
    changed = get_own_highlight(tx, viewer, highlight_id)
    if note != highlight.note:
        index.index_highlights(tx, [changed])
    if len(note or "") > len(highlight.note or ""):
        highlights.measure_room(tx, viewer.user_id, highlight.media_id).require()
    return changed


def get_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> Highlight:
    return get_own_highlight(tx, viewer, highlight_id)


def get_own_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> Highlight:
    """Get one of the viewer's own highlights.

    NotFound is raised alike for somebody else's, for one of a page the viewer may no longer see, and for a missing one.
    """
    highlight = highlights.find_highlight(tx, highlight_id, viewer.user_id)
    if highlight is None:
        raise NotFound
    return highlight


def remove_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID, *, now: datetime) -> UUID:
    """Remove a highlight; for an hour it can be brought back. Returns the id that `restore_highlight` asks for."""
    highlight = get_own_highlight(tx, viewer, highlight_id)
    highlights.forget_removed_before(tx, now - UNDO_WITHIN)
    highlights.update_highlight(tx, highlight.id, removed_at=now)
    events.publish_user_event(tx, viewer.user_id, highlight.media_id, HIGHLIGHTS, now)
    return highlight.id


def restore_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID, *, now: datetime) -> Highlight:
    """Bring a removed highlight back, within the hour. One that was not removed stays as it is."""
    highlights.forget_removed_before(tx, now - UNDO_WITHIN)
    was_removed = highlights.restore_removed(tx, highlight_id, viewer.user_id)
    try:
        restored = get_own_highlight(tx, viewer, highlight_id)
    except NotFound:
        raise NotFound("This can no longer be undone.") from None
    if was_removed:
        events.publish_user_event(tx, viewer.user_id, restored.media_id, HIGHLIGHTS, now)
    return restored
