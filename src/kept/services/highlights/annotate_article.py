"""Mark a passage whose place another program tells by the path of its elements."""

import asyncio
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.content.article.anchoring import quote_at
from kept.content.article.canonical import canonical_text
from kept.content.article.safe_html import SafeHtml
from kept.content.article.selectors import Selectors, find_selectors, find_span
from kept.domain.account import Viewer
from kept.domain.colour import Colour
from kept.domain.errors import InvalidRequest, QuoteNotFound
from kept.domain.highlight import MAX_QUOTE, Highlight, NewHighlight, Span
from kept.services.highlights.create_highlight import create_highlight
from kept.services.highlights.list_annotations import Annotation
from kept.services.pages.cards import get_article, get_card
from kept.storage import highlights
from kept.storage.database.engine import Connection, Database

Look = tuple[Colour, str | None]


async def annotate_article(
    database: Database,
    viewer: Viewer,
    item_id: UUID,
    place: Selectors,
    look: Look,
    *,
    now: datetime,
) -> Annotation:
    """`look` is its colour and its note. InvalidRequest where one of the viewer's highlights is already, as the
    programs that ask expect it."""
    media_id, html, present = await database.read(_read, viewer, item_id)
    new = await asyncio.to_thread(_find_quote, html, place, present)
    made = await create_highlight(database, viewer, media_id, replace(new, colour=look[0], note=look[1]), now=now)
    return await asyncio.to_thread(_locate, html, made, place)


def _read(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[UUID, SafeHtml, list[Highlight]]:
    card = get_card(tx, viewer, item_id)
    article = get_article(tx, card.media)
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id]).get(card.media.id, [])
    return card.media.id, article.html, found


def _find_quote(html: SafeHtml, place: Selectors, present: list[Highlight]) -> NewHighlight:
    span = find_span(html, place)
    if span is None:
        raise QuoteNotFound
    if span.end - span.start > MAX_QUOTE:
        raise InvalidRequest(f"A highlight has at most {MAX_QUOTE} characters.")
    if any(other.span and _overlap(span, other.span) for other in present):
        raise InvalidRequest("There is a highlight already: two may not overlap.")
    return NewHighlight(quote_at(str(canonical_text(html)), span), hint=span.start)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _locate(html: SafeHtml, made: Highlight, asked: Selectors) -> Annotation:
    """As it is stored: without the white space at its ends that may have been marked too."""
    [found] = find_selectors(html, [made.span]) if made.span else [None]
    return Annotation(made, found or asked)
