"""Take items out of their libraries, and bring them back within the hour."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import require_admin
from kept.ids import new_id
from kept.services.items.change_item import get_card
from kept.storage import events, items, libraries, removed_items, users
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.removed_items import RemovedItem
from kept.storage.search import index as search_index

UNDO_WITHIN: Final = timedelta(hours=1)


async def remove_items(database: Database, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> UUID:
    """All of them or none. The answer is what `restore_items` asks for."""
    batch_id = new_id()
    async with database.write() as tx:
        cards = [await get_card(tx, viewer, item_id, to_write=True) for item_id in item_ids]
        await removed_items.forget_before(tx, now - UNDO_WITHIN)
        await removed_items.remember_removed(tx, batch_id, viewer.user_id, cards, now)
        for card in cards:
            await events.tell_library(tx, card.item, "removed", now)
            await items.delete_item(tx, card.item.id)
    return batch_id


async def restore_items(database: Database, viewer: Viewer, batch_id: UUID, *, now: datetime) -> int:
    """How many came back. A page that was saved again meanwhile stays as it is."""
    async with database.write() as tx:
        await removed_items.forget_before(tx, now - UNDO_WITHIN)
        found = await removed_items.take_removed(tx, batch_id, viewer.user_id, now)
        if not found:
            raise NotFound("It is too late to undo this.")
        return sum([await restore(tx, viewer, removed, now) for removed in found])


async def restore(tx: AsyncConnection, viewer: Viewer, removed: RemovedItem, now: datetime) -> bool:
    item = removed.item
    _, role = await libraries.find_library(tx, item.library_id, viewer.user_id) or (None, None)
    require_admin(role)
    if await items.find_item_of_media(tx, item.library_id, item.media_id) is not None:
        return False
    if item.added_by is not None and not await users.user_exists(tx, item.added_by):
        item = replace(item, added_by=None)
    await items.insert_item(tx, item)
    await items.add_tags(tx, item.library_id, item.id, removed.tags)
    await search_index.index_item(tx, item, removed.tags)
    await events.tell_library(tx, item, "added", now)
    return True
