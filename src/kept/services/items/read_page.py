"""One page of a list. For libraries the caller has checked."""

from dataclasses import dataclass

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.paging import PageRequest, Position, parse_position, write_position
from kept.storage import items
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class ItemPage:
    cards: list[Card]
    next_cursor: str | None


def read_page(tx: Connection, viewer: Viewer, wanted: ItemFilter, page: PageRequest) -> ItemPage:
    after = parse_position(page.cursor) if page.cursor else None
    cards = items.list_cards(tx, viewer.user_id, wanted, after=after, limit=page.limit + 1)
    if len(cards) <= page.limit:
        return ItemPage(cards, None)
    last = cards[page.limit - 1].item
    return ItemPage(cards[: page.limit], write_position(Position(last.created_at, last.id)))
