"""Mark the whole search index as stale, so that `reindex` makes it anew."""

from kept.storage.database.engine import Connection
from kept.storage.search import index as search_index


def start_reindex(tx: Connection) -> int:
    """How much there is to do. One that was broken off goes on where it stopped."""
    if not search_index.was_broken_off(tx):
        search_index.mark_all_stale(tx)
    return search_index.count_stale(tx)
