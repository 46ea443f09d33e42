"""Index what was changed without being indexed: by a process of an older version, while it is being replaced.

The database marks every change (storage/database/triggers.py), so that a few such rows are found at once among
millions.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from kept.services.maintenance.reindex import AT_ONCE, reindex
from kept.storage.database.engine import Database
from kept.storage.search import index as search_index

MOST: Final = 1_000


async def index_marked(database: Database) -> None:
    item_ids, media_ids = await database.read(search_index.list_marked, MOST)
    if MOST in {len(item_ids), len(media_ids)}:  # in the order of their ids, or many would be sorted for each few
        await reindex(database, gently=True)
        return
    for some in _batches(item_ids):
        await database.write(search_index.index_items, some)
    for some in _batches(media_ids):
        await database.write(search_index.index_free_pages, some)


def _batches(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
