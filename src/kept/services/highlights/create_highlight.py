"""Mark a passage of an article: its place is found in the canonical text, then it is stored.

The text is searched outside of any transaction: that takes longer than to write a row.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.content.article.anchoring import find_quote, quote_at
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, QuoteNotFound
from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import Highlight, NewHighlight, Quote, Span
from kept.ids import new_id
from kept.services.pages.cards import get_visible_media
from kept.storage import articles, events, highlights
from kept.storage.articles import Fragment
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index


@dataclass(frozen=True, slots=True)
class _Place:
    span: Span
    quote: Quote
    canonical_version: int


async def create_highlight(
    database: Database, viewer: Viewer, media_id: UUID, new: NewHighlight, *, now: datetime
) -> Highlight:
    fragment = await database.read(_get_fragment, viewer, media_id)
    place = await asyncio.to_thread(_find_place, fragment, new)
    return await database.write(_insert, viewer, media_id, new, place, now)


def _get_fragment(tx: Connection, viewer: Viewer, media_id: UUID) -> Fragment:
    found = get_visible_media(tx, viewer, media_id)
    fragment = articles.find_fragment(tx, found.id) if found.is_readable else None
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
    """A media that has an article keeps it, so that the place is still true."""
    found = get_visible_media(tx, viewer, media_id)
    highlights.measure_room(tx, viewer.user_id, found.id).add(place.quote, new.note).require()
    highlight = Highlight(
        id=new_id(),
        user_id=viewer.user_id,
        media_id=found.id,
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
    events.publish_user_event(tx, viewer.user_id, found.id, HIGHLIGHTS, now)
    return highlight
