"""Highlights as other programs tell them: W3C selectors in and out, and highlights of imported files."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.anchoring import quote_at
from kept.content.article.highlights.selectors import Selectors, find_selectors, find_span
from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, QuoteNotFound
from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import MAX_QUOTE, Colour, Highlight, HighlightRoom, NewHighlight, Span
from kept.domain.synced import NumberKind
from kept.ids import new_id
from kept.services.highlights.highlights import create_highlight
from kept.services.pages.cards import get_article, get_card
from kept.services.pages.states import queue_anchoring
from kept.storage import events, highlights, sync
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index

Look = tuple[Colour, str | None]
_Key = tuple[str, tuple[str, str] | None, datetime | str | None]
"""The key by which an imported highlight is recognised: its words, its context if a file has one, its time or note."""


@dataclass(frozen=True, slots=True)
class Annotation:
    highlight: Highlight
    selectors: Selectors


async def annotate_article(
    database: Database,
    viewer: Viewer,
    item_id: UUID,
    place: Selectors,
    look: Look,
    *,
    now: datetime,
) -> Annotation:
    """Highlight a passage whose place another program gives by the path of its elements.

    `look` is its colour and its note. InvalidRequest is raised where the viewer has a highlight already.
    """
    media_id, html, present = await database.read(_read_article, viewer, item_id)
    new = await asyncio.to_thread(_find_quote, html, place, present)
    made = await create_highlight(database, viewer, media_id, replace(new, colour=look[0], note=look[1]), now=now)
    return await asyncio.to_thread(_locate, html, made, place)


def _read_article(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[UUID, SafeHtml, list[Highlight]]:
    card = get_card(tx, viewer, item_id)
    article = get_article(tx, card.media)
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id]).get(card.media.id, [])
    return card.media.id, article.html, found


def _find_quote(html: SafeHtml, place: Selectors, present: list[Highlight]) -> NewHighlight:
    span = find_span(html, place)
    if span is None:
        raise QuoteNotFound
    if span.end - span.start > MAX_QUOTE:
        raise InvalidRequest("A highlight has at most %(max_quote)s characters.", max_quote=MAX_QUOTE)
    if any(other.span and _overlap(span, other.span) for other in present):
        raise InvalidRequest("There is a highlight already: two may not overlap.")
    return NewHighlight(quote_at(str(canonical_text(html)), span), hint=span.start)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _locate(html: SafeHtml, made: Highlight, asked: Selectors) -> Annotation:
    """Return the passage as it is stored, without white space at its ends."""
    [found] = find_selectors(html, [made.span]) if made.span else [None]
    return Annotation(made, found or asked)


async def list_annotations(database: Database, viewer: Viewer, item_id: UUID) -> list[Annotation]:
    """Return the viewer's highlights of an item's article, each with its place as other programs express it.

    They are in the order of the text; those that have no place in this copy are left out.
    """
    html, found = await database.read(_read_annotated, viewer, item_id)
    return await asyncio.to_thread(_select, html, found) if html and found else []


def _read_annotated(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[SafeHtml | None, list[Highlight]]:
    card = get_card(tx, viewer, item_id)
    if not card.media.is_readable:
        return None, []
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id]).get(card.media.id, [])
    return get_article(tx, card.media).html, [highlight for highlight in found if highlight.span]


def _select(html: SafeHtml, found: list[Highlight]) -> list[Annotation]:
    spans = [highlight.span for highlight in found if highlight.span]
    places = find_selectors(html, spans)
    return [Annotation(highlight, place) for highlight, place in zip(found, places, strict=True) if place]


def import_highlights(
    tx: Connection, user_id: UUID, brought: Mapping[UUID, Sequence[NewHighlight]], *, now: datetime
) -> set[UUID]:
    """Add highlights that came with a file to pages of one person. Their places are found once there is an article.

    It is called in the transaction of an import's batch, with each media's highlights. Importing a file again adds
    nothing. Returns the media whose highlights a worker is asked to find, for the notifier after the commit.
    """
    for media_id, new in brought.items():
        known = highlights.list_of_media(tx, user_id, [media_id]).get(media_id, [])
        fresh = _fit(_leave_out_known(new, known), highlights.measure_room(tx, user_id, media_id))
        added = [(_highlight_of(user_id, media_id, one, now), one) for one in fresh]
        rows = [highlight for highlight, _ in added]
        highlights.insert_highlights(tx, rows, {highlight.id: one.hint for highlight, one in added})
        numbered = {highlight.id: one.number for highlight, one in added if one.number}
        sync.restore(tx, NumberKind.HIGHLIGHT, numbered)
        index.index_highlights(tx, rows)
        if rows:
            events.publish_user_event(tx, user_id, media_id, HIGHLIGHTS, now)
    return {media_id for media_id in brought if queue_anchoring(tx, media_id, now=now)}


def _leave_out_known(new: Sequence[NewHighlight], known: Sequence[Highlight]) -> list[NewHighlight]:
    seen = {key for highlight in known for key in _known_keys(highlight)}
    fresh: dict[_Key, NewHighlight] = {}
    for one in new:
        key = _key_of(one)
        if key not in seen:
            fresh.setdefault(key, one)
    return list(fresh.values())


def _fit(fresh: Sequence[NewHighlight], room: HighlightRoom) -> Iterator[NewHighlight]:
    """Yield as many of the highlights as there is room for."""
    for one in fresh:
        room = room.add(one.quote, one.note)
        if room.is_exceeded:
            return
        yield one


def _key_of(new: NewHighlight) -> _Key:
    """Return the key of a highlight in a file. Its time is preferred to its note, which may have been changed here."""
    context = (new.quote.prefix, new.quote.suffix)
    sign = new.created_at or new.note
    return _fold(new.quote.exact), context if any(context) else None, sign


def _known_keys(highlight: Highlight) -> Iterator[_Key]:
    """Yield the keys of a stored highlight for files with and without its context, and with and without its time."""
    words, quote = _fold(highlight.quote.exact), highlight.quote
    for context in (None, (quote.prefix, quote.suffix)):
        for sign in (highlight.created_at, highlight.note):
            yield words, context, sign


def _fold(words: str) -> str:
    return " ".join(words.split())


def _highlight_of(user_id: UUID, media_id: UUID, brought: NewHighlight, now: datetime) -> Highlight:
    return Highlight(
        id=new_id(),
        user_id=user_id,
        media_id=media_id,
        span=None,
        quote=brought.quote,
        colour=brought.colour,
        note=brought.note,
        anchored_version=None,
        created_at=brought.created_at or now,
        updated_at=brought.updated_at or brought.created_at or now,
    )
