"""One change to several items at once: what a person ticks in a list and then decides."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card, parse_tags
from kept.services.items.change_reading_state import ReadingChange, change_reading_state
from kept.services.items.get_card import get_card
from kept.storage import events, items
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index


async def change_items(
    database: Database,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    change: ReadingChange,
    *,
    add_tags: Sequence[str] = (),
    now: datetime,
) -> list[Card]:
    """All of them or none. `add_tags` come on top of those that are there."""
    return await database.write(_change, viewer, item_ids, change, parse_tags(add_tags), now)


def _change(
    tx: Connection,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    change: ReadingChange,
    tags: tuple[str, ...],
    now: datetime,
) -> list[Card]:
    for item_id in item_ids:
        card = get_card(tx, viewer, item_id, to_change=bool(tags))
        change_reading_state(tx, viewer, card, change, now)
        if tags:
            items.add_tags(tx, card.item.library_id, card.item.id, tags)
            index.index_items(tx, [card.item.id])
            events.publish_item_event(tx, card.item, "changed", now)
    return [get_card(tx, viewer, item_id) for item_id in item_ids]
