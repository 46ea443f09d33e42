"""Queries of an export: libraries' items page by page, and what the viewer may know of their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select, true, tuple_

from kept.domain.history import known_since
from kept.domain.item import Card
from kept.domain.paging import Position
from kept.storage.copies import is_in_list
from kept.storage.database.engine import Connection
from kept.storage.highlights import is_own
from kept.storage.items import cards_from, select_cards
from kept.storage.tables import earlier_copies, highlights, items, library_members, media


class Selection(StrEnum):
    """The items of a library that an export contains."""

    LISTED = "listed"
    """The items that lists show."""
    WITH_COPIES = "with_copies"
    """All items, older copies too."""
    HIGHLIGHTED = "highlighted"
    """The items in whose page the viewer highlighted something, older copies too."""


@dataclass(frozen=True, slots=True)
class ExportPage:
    cards: list[Card]
    known_since: dict[UUID, datetime]
    """When each media first came into a library of the viewer's; what happened before is for others only."""


def list_export_page(
    tx: Connection, user_id: UUID, library_id: UUID, *, after: Position | None, limit: int, selection: Selection
) -> ExportPage:
    """Return a page of a checked library's items, oldest first, so that changes meanwhile do not disturb the order."""
    query = select_cards(user_id).where(items.c.library_id == library_id, is_selected(selection, user_id))
    if after is not None:
        query = query.where(tuple_(items.c.created_at, items.c.id) > (after.created_at, after.item_id))
    cards = cards_from(tx, query.order_by(items.c.created_at, items.c.id).limit(limit))
    return ExportPage(cards, list_known_since(tx, user_id, [card.media.id for card in cards]))


def is_selected(selection: Selection, user_id: UUID) -> ColumnElement[bool]:
    match selection:
        case Selection.LISTED:
            return is_in_list()
        case Selection.WITH_COPIES:
            return true()
        case Selection.HIGHLIGHTED:
            return items.c.media_id.in_(select(highlights.c.media_id).where(is_own(user_id)))


def list_known_since(tx: Connection, user_id: UUID, media_ids: list[UUID]) -> dict[UUID, datetime]:
    query = (
        select(items.c.media_id, items.c.created_at, items.c.id)
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(items.c.media_id.in_(media_ids), library_members.c.user_id == user_id)
    )
    since: dict[UUID, datetime] = {}
    for media_id, created_at, item_id in tx.execute(query):
        known = known_since(created_at, item_id)
        since[media_id] = min(since.get(media_id, known), known)
    return since


def list_twins(
    tx: Connection, user_id: UUID, cards: Sequence[Card], library_ids: Sequence[UUID]
) -> dict[UUID, list[Card]]:
    """Return the cards of media that several of the libraries hold, by media."""
    if len(library_ids) < 2:
        return {}
    held = (items.c.media_id.in_([card.media.id for card in cards]), items.c.library_id.in_(library_ids))
    found: dict[UUID, list[Card]] = {}
    for card in cards_from(tx, select_cards(user_id).where(*held).order_by(items.c.id)):
        found.setdefault(card.media.id, []).append(card)
    return {media_id: places for media_id, places in found.items() if len(places) > 1}


def list_newer_copies(tx: Connection, item_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return the newer copy that an item's library holds beside it, by item; the viewer may not know of others'."""
    beside = items.alias("beside")
    query = (
        select(items.c.id, media.c.superseded_by)
        .join(media, media.c.id == items.c.media_id)
        .join(beside, and_(beside.c.library_id == items.c.library_id, beside.c.media_id == media.c.superseded_by))
        .where(items.c.id.in_(item_ids))
    )
    newer = {row.id: row.superseded_by for row in tx.execute(query)}
    former = (
        select(earlier_copies.c.item_id, items.c.media_id)
        .join(items, items.c.id == earlier_copies.c.shown_item_id)
        .where(earlier_copies.c.item_id.in_(item_ids))
    )
    return newer | {row.item_id: row.media_id for row in tx.execute(former)}


def count_items(tx: Connection, user_id: UUID, library_ids: Sequence[UUID], selection: Selection) -> int:
    held = items.join(media, media.c.id == items.c.media_id)
    query = select(func.count()).select_from(held).where(items.c.library_id.in_(library_ids))
    return int(tx.execute(query.where(is_selected(selection, user_id))).scalar_one())
