"""Make the search index anew, a few at a time, while everybody goes on saving and searching.

Everything stays findable as it was until its turn comes. What an upgrade left unindexed, and words made the way of an
older version, a worker does by itself (`tidy_up`); `kept reindex` does everything.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final
from uuid import UUID

from kept.storage import media
from kept.storage.database.engine import Database
from kept.storage.search import index as search_index

# Some tens of milliseconds in which nobody else can write.
AT_ONCE: Final = 20


async def begin_anew(database: Database) -> int:
    """How much there is to do. One that was broken off goes on where it stopped."""
    async with database.write() as tx:
        if not await search_index.was_broken_off(tx):
            await search_index.mark_all_stale(tx)
        return await search_index.count_stale(tx)


async def reindex(database: Database, *, advance: Callable[[int], None] = lambda _: None, gently: bool = False) -> int:
    """Index what is not, or not as it should be; returns how much that was. Items first: those are people's words.

    `gently`: it rests as long as it works. SQLite serves no queue: who writes without a pause keeps others waiting for
    a second (measured after an upgrade with 100,000 pages).
    """
    done = 0
    for index_some in (index_some_items, index_some_pages):
        after: UUID | None = UUID(int=0)
        while after is not None:  # in the order of their ids: each is looked at once
            started = time.monotonic()
            after, indexed = await index_some(database, after)
            done += indexed
            advance(indexed)
            if gently:
                await asyncio.sleep(time.monotonic() - started)
    return done


async def index_some_items(database: Database, after: UUID) -> tuple[UUID | None, int]:
    async with database.read() as tx:
        item_ids = await search_index.list_stale_items(tx, after, AT_ONCE)
    if item_ids:
        async with database.write() as tx:
            await search_index.index_items(tx, item_ids)
    return (item_ids[-1] if item_ids else None), len(item_ids)


async def index_some_pages(database: Database, after: UUID) -> tuple[UUID | None, int]:
    async with database.read() as tx:
        media_ids = await search_index.list_stale_media(tx, after, AT_ONCE)
    if media_ids:
        async with database.write() as tx:
            # Who changes a page indexes it too, and would wait for us while we wait for them. It is left to them.
            for media_id in await media.hold_free(tx, media_ids):
                await search_index.index_page(tx, media_id)
    return (media_ids[-1] if media_ids else None), len(media_ids)
