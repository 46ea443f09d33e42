"""What a worker does now and then: pages nobody holds go, snapshots whose job never came, and gaps in the index."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta
from typing import Final

import structlog

from kept.clock import utc_now
from kept.services.importing.import_links import forget_stale_files
from kept.services.maintenance.reindex import reindex
from kept.services.maintenance.remove_orphans import AT_ONCE, remove_orphans
from kept.storage import media
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database, 
from kept.domain.errors import is_outage

log = structlog.get_logger("kept.clean")

# A job that waits longer fetches the page anew: raw HTML is not for keeping.
SNAPSHOTS_KEPT: Final = timedelta(days=1)


TIDY_EVERY_SECONDS: Final = 15 * 60.0


async def tidy_now_and_then(database: Database, blobs: BlobStore) -> None:
    """For as long as a worker lives; any number may do this at once. What goes wrong is tried again next time."""
    while True:
        # at once: after an upgrade there may be a library that nobody can search yet
        await attempt("index", reindex(database, gently=True))
        await asyncio.sleep(TIDY_EVERY_SECONDS)
        await attempt("clean", tidy_up(database, blobs, now=utc_now()))


async def attempt(what: str, work: Awaitable[object]) -> None:
    try:
        await work
    except Exception as error:
        if is_outage(error):
            log.warning(f"{what}.met_outage", error=str(error).splitlines()[0])
        else:
            log.exception(f"{what}.failed")


async def tidy_up(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    while await remove_orphans(database, blobs) == AT_ONCE:
        pass
    async with database.write() as tx:
        await media.delete_snapshots_before(tx, now - SNAPSHOTS_KEPT)
    await forget_stale_files(database, blobs, now=now)
