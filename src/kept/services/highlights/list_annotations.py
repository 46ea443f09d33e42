"""The viewer's highlights of an item's article, each with its place as other programs tell it."""

import asyncio
from dataclasses import dataclass
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.article.selectors import Selectors, find_selectors
from kept.domain.account import Viewer
from kept.domain.highlight import Highlight
from kept.services.pages.cards import get_article, get_card
from kept.storage import highlights
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class Annotation:
    highlight: Highlight
    selectors: Selectors


async def list_annotations(database: Database, viewer: Viewer, item_id: UUID) -> list[Annotation]:
    """In the order of the text; those that have no place in this copy are left out."""
    html, found = await database.read(_read, viewer, item_id)
    return await asyncio.to_thread(_select, html, found) if html and found else []


def _read(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[SafeHtml | None, list[Highlight]]:
    card = get_card(tx, viewer, item_id)
    if not card.media.is_readable:
        return None, []
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id]).get(card.media.id, [])
    return get_article(tx, card.media).html, [highlight for highlight in found if highlight.span]


def _select(html: SafeHtml, found: list[Highlight]) -> list[Annotation]:
    spans = [highlight.span for highlight in found if highlight.span]
    places = find_selectors(html, spans)
    return [Annotation(highlight, place) for highlight, place in zip(found, places, strict=True) if place]
