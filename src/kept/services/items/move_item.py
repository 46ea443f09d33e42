"""Move an item to another library, with its words, its tags and its older copies."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import NO_WORDS, Card, Item, join_notes
from kept.services.items.change_item import get_card
from kept.services.libraries.get_managed_library import get_managed_library
from kept.services.saving.save_link import attach
from kept.storage import copies, events, items, libraries
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.search import index as search_index


async def move_item(database: Database, viewer: Viewer, item_id: UUID, library_id: UUID, *, now: datetime) -> Card:
    """One must be admin of both. What is added to any library stays in one's own, too."""
    async with database.write() as tx:
        card = await get_card(tx, viewer, item_id, to_write=True)
        get_managed_library(tx, viewer, library_id)
        if card.item.library_id == library_id:
            return card
        await events.tell_libraries(tx, card.media.id, "removed", now)
        moved_id = await move_with_copies(tx, card, library_id, now)
        own_id = await libraries.get_default_library_id(tx, viewer.user_id)
        await attach(tx, viewer, own_id, card.media.id, card.item.url, NO_WORDS, now, known=True)
        await events.tell_libraries(tx, card.media.id, "added", now)
        return await get_card(tx, viewer, moved_id, to_write=False)


async def move_with_copies(tx: AsyncConnection, card: Card, library_id: UUID, now: datetime) -> UUID:
    for copy in await copies.list_copies(tx, card.item.library_id, card.media.id):
        if copy.item_id != card.item.id:
            await move_older(tx, copy, library_id, now)
    present = await items.find_item_of_media(tx, library_id, card.media.id)
    if present is not None:
        return await unite(tx, card, present, now)
    await items.replace_tags(tx, card.item.library_id, card.item.id, ())
    await items.update_item(tx, card.item.id, library_id=library_id, updated_at=now)
    await items.add_tags(tx, library_id, card.item.id, card.tags)
    return card.item.id


async def move_older(tx: AsyncConnection, copy: copies.Copy, library_id: UUID, now: datetime) -> None:
    if await items.find_item_of_media(tx, library_id, copy.media.id) is None:
        await items.update_item(tx, copy.item_id, library_id=library_id, updated_at=now)
    else:
        await items.remove_row(tx, copy.item_id)


async def unite(tx: AsyncConnection, card: Card, present: Item, now: datetime) -> UUID:
    """The library has the page already: what is said there stays, what is said here fills its gaps."""
    await items.update_item(
        tx,
        present.id,
        title=present.title or card.item.title,
        excerpt=present.excerpt or card.item.excerpt,
        note=join_notes(present.note, card.item.note),
        updated_at=now,
    )
    await items.add_tags(tx, present.library_id, present.id, card.tags)
    await search_index.index_items(tx, [present.id])
    await items.remove_row(tx, card.item.id)
    return present.id
