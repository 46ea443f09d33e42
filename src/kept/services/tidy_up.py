"""What a worker clears up now and then: pages nobody holds, and snapshots whose job never came."""

import asyncio
from datetime import datetime, timedelta
from typing import Final

import structlog

from kept.services.import_links import forget_stale_files
from kept.services.remove_orphans import AT_ONCE, remove_orphans
from kept.storage import media
from kept.storage.blobs import BlobStore
from kept.storage.columns import utc_now
from kept.storage.database import Database

log = structlog.get_logger("kept.clean")

# A job that waits longer fetches the page anew: raw HTML is not for keeping.
SNAPSHOTS_KEPT: Final = timedelta(days=1)


TIDY_EVERY_SECONDS: Final = 15 * 60.0


async def tidy_now_and_then(database: Database, blobs: BlobStore) -> None:
    """For as long as a worker lives; any number may do this at once. What goes wrong is tried again next time."""
    while True:
        await asyncio.sleep(TIDY_EVERY_SECONDS)
        try:
            await tidy_up(database, blobs, now=utc_now())
        except Exception:
            log.exception("clean.failed")


async def tidy_up(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    while await remove_orphans(database, blobs) == AT_ONCE:
        pass
    async with database.write() as tx:
        await media.delete_snapshots_before(tx, now - SNAPSHOTS_KEPT)
    await forget_stale_files(database, blobs, now=now)
