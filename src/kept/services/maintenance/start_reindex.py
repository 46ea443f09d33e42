"""Mark the whole search index as stale, so that `reindex` makes it anew."""

from kept.storage.database.engine import Connection, Database
from kept.storage.search import index as search_index


async def start_reindex(database: Database) -> int:
    """How much there is to do. One that was broken off goes on where it stopped."""
    return await database.write(_mark_stale)


def _mark_stale(tx: Connection) -> int:
    if not search_index.was_broken_off(tx):
        search_index.mark_all_stale(tx)
    return search_index.count_stale(tx)
