"""What became of the items of the viewer's own library since a moment, for programs that sync: a page at a time, each
read in a transaction of its own."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Final

from kept.domain.account import Viewer
from kept.domain.synced import SyncEvent
from kept.storage import libraries, synced_lists
from kept.storage.database.engine import Connection, Database

PAGE: Final = 2_000
# What is written gets its time a moment before others can see it: who asked in between must be told the next time.
SLACK: Final = timedelta(seconds=10)


async def iterate_changes(database: Database, viewer: Viewer, since: datetime | None) -> AsyncIterator[list[SyncEvent]]:
    """Removals only where there is a `since`: who asks for everything holds nothing yet."""
    start = since - SLACK if since else None
    if start is not None:
        yield await database.read(_list_removals, viewer, start)
    after: SyncEvent | None = None
    while True:
        page = await database.read(_list_changes, viewer, start, after)
        yield page
        if len(page) < PAGE:
            return
        after = page[-1]


def _list_removals(tx: Connection, viewer: Viewer, since: datetime) -> list[SyncEvent]:
    return synced_lists.list_removals(tx, libraries.get_default_library_id(tx, viewer.user_id), since)


def _list_changes(tx: Connection, viewer: Viewer, since: datetime | None, after: SyncEvent | None) -> list[SyncEvent]:
    own = libraries.get_default_library_id(tx, viewer.user_id)
    return synced_lists.list_changes(tx, own, since, after, limit=PAGE)
