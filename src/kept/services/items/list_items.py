"""A page of a library's items, newest first, and where the next one begins."""

import base64
import binascii
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter, Position
from kept.storage import items, libraries
from kept.storage.database.engine import Database

MAX_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Page:
    cards: list[Card]
    next_cursor: str | None


async def list_items(
    database: Database,
    viewer: Viewer,
    library_id: UUID | None,
    wanted: ItemFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = 30,
) -> Page:
    """Without a library, the viewer's own. The rest of `wanted` narrows it."""
    after = parse_cursor(cursor) if cursor else None
    async with database.read() as tx:
        if library_id is None:
            library_id = await libraries.get_default_library_id(tx, viewer.user_id)
        elif await libraries.find_library(tx, library_id, viewer.user_id) is None:
            raise NotFound
        narrowed = replace(wanted, library_id=library_id) if wanted else ItemFilter(library_id)
        cards = await items.list_cards(tx, viewer.user_id, narrowed, after=after, limit=limit + 1)
    return cut_page(cards, limit)


def cut_page(cards: list[Card], limit: int) -> Page:
    """Of cards read with a limit of one more, the page, and where the next begins."""
    has_more = len(cards) > limit
    return Page(cards[:limit], make_cursor(cards[limit - 1]) if has_more else None)


def make_cursor(card: Card) -> str:
    position = f"{card.item.created_at.isoformat()} {card.item.id}"
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def parse_cursor(cursor: str) -> Position:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        created_at, _, item_id = text.partition(" ")
        position = Position(datetime.fromisoformat(created_at), UUID(item_id))
        if position.created_at.tzinfo is None:
            raise ValueError("no time zone")
    except (ValueError, binascii.Error):
        raise InvalidRequest("This cursor is not one of ours.") from None
    return position
