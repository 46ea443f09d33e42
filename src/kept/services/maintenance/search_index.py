"""Rebuilding the search index, and indexing what was marked as changed."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

from kept.storage.database.engine import Connection, Database
from kept.storage.search import index as search_index
from kept.storage.search.fields import WordIndex

# Some tens of milliseconds in which nobody else can write.
AT_ONCE: Final = 20
MOST: Final = 1_000


async def reindex(database: Database, *, advance: Callable[[int], None] = lambda _: None, gently: bool = False) -> int:
    """Index what is missing from the search index or out of date, a few at a time while others save and search.

    Everything stays findable as it was until its turn comes. A worker does this by itself after an upgrade
    (`tidy_periodically`); `kept reindex` does everything. Items and highlights come first, because people wrote them.
    Returns how much was indexed.

    With `gently` it rests as long as it works. SQLite does not queue writers fairly: writing without a pause keeps
    others waiting for a second (measured after an upgrade with 100,000 pages).
    """
    done = 0
    for index_some in (_index_some_items, _index_some_highlights, _index_some_pages):
        after: UUID | None = UUID(int=0)
        while after is not None:  # they are read in the order of their ids, so that each is looked at once
            started = time.monotonic()
            after, indexed = await index_some(database, after)
            done += indexed
            advance(indexed)
            if gently:
                await asyncio.sleep(time.monotonic() - started)
    return done


async def _index_some_items(database: Database, after: UUID) -> tuple[UUID | None, int]:
    item_ids = await database.read(search_index.list_stale, WordIndex.ITEM, after, AT_ONCE)
    if item_ids:
        await database.write(search_index.index_items, item_ids)
    return (item_ids[-1] if item_ids else None), len(item_ids)


async def _index_some_highlights(database: Database, after: UUID) -> tuple[UUID | None, int]:
    highlight_ids = await database.read(search_index.list_stale, WordIndex.HIGHLIGHT, after, AT_ONCE)
    if highlight_ids:
        await database.write(search_index.index_highlights_anew, highlight_ids)
    return (highlight_ids[-1] if highlight_ids else None), len(highlight_ids)


async def _index_some_pages(database: Database, after: UUID) -> tuple[UUID | None, int]:
    media_ids = await database.read(search_index.list_stale, WordIndex.PAGE, after, AT_ONCE)
    if media_ids:
        await database.write(search_index.index_free_pages, media_ids)
    return (media_ids[-1] if media_ids else None), len(media_ids)


def start_reindex(tx: Connection) -> int:
    """Mark the whole search index as stale, so that `reindex` rebuilds it; returns how much there is to do.

    A reindex that was broken off goes on where it stopped.
    """
    if not search_index.was_broken_off(tx):
        search_index.mark_all_stale(tx)
    return search_index.count_stale(tx)


async def index_marked(database: Database) -> None:
    """Index what an older version of Kept changed without indexing it, while it is being replaced.

    The database marks every change (storage/migrations/triggers.py), so that such rows are found at once.
    """
    item_ids, media_ids = await database.read(search_index.list_marked, MOST)
    if MOST in {len(item_ids), len(media_ids)}:  # `reindex` reads in the order of ids, and need not sort many
        await reindex(database, gently=True)
        return
    for some in _batches(item_ids):
        await database.write(search_index.index_items, some)
    for some in _batches(media_ids):
        await database.write(search_index.index_free_pages, some)


def _batches(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
