"""One change to several items at once: what a person ticks in a list and then decides."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.item import Card, parse_tags
from kept.services.items.change_item import ItemChange, change_reading, get_card
from kept.storage import events, items
from kept.storage.database.engine import Database
from kept.storage.search import index as search_index


async def change_items(
    database: Database,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    change: ItemChange,
    *,
    add_tags: Sequence[str] = (),
    now: datetime,
) -> list[Card]:
    """All of them or none. `add_tags` come on top of those that are there."""
    if change.touches_words:
        raise InvalidRequest("Words are changed one item at a time.")
    tags = parse_tags(add_tags)
    async with database.write() as tx:
        for item_id in item_ids:
            card = await get_card(tx, viewer, item_id, to_write=bool(tags))
            await change_reading(tx, viewer, card, change, now)
            if tags:
                await items.add_tags(tx, card.item.library_id, item_id, tags)
                await search_index.index_items(tx, [item_id])
                await events.tell_library(tx, card.item, "changed", now)
        return [await get_card(tx, viewer, item_id, to_write=False) for item_id in item_ids]
