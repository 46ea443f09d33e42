"""Mark a passage of an article: its place is found in the canonical text, then it is stored.

The text is searched before the transaction that writes: searching a long article takes longer than writing a row.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.content.article.anchoring import find_quote, quote_at
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, QuoteNotFound
from kept.domain.highlight import Highlight, NewHighlight, Quote, Span, require_room_for_highlights
from kept.ids import new_id
from kept.services.reading.get_visible_media import get_visible_media
from kept.storage import articles, highlights
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
    place = await database.read(_find_place, viewer, media_id, new)
    return await database.write(_insert, viewer, media_id, new, place, now)


def _find_place(tx: Connection, viewer: Viewer, media_id: UUID, new: NewHighlight) -> _Place:
    found = get_visible_media(tx, viewer, media_id)
    fragment = articles.find_fragment(tx, found.id) if found.is_readable else None
    if fragment is None:
        raise Conflict("This article is not ready for reading.")
    span = find_quote(fragment.canonical_text, new.quote, new.hint)
    if span is None:
        raise QuoteNotFound
    return _Place(span, quote_at(fragment.canonical_text, span), fragment.canonical_version)


def _insert(
    tx: Connection, viewer: Viewer, media_id: UUID, new: NewHighlight, place: _Place, now: datetime
) -> Highlight:
    """A media that has an article keeps it, so that the place is still true."""
    found = get_visible_media(tx, viewer, media_id)
    require_room_for_highlights(highlights.count_on_media(tx, viewer.user_id, found.id))
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
    return highlight
