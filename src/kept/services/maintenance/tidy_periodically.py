"""What a worker does now and then: fill gaps in the search index, hash new URLs, end what nobody does, tidy up."""

import asyncio
from collections.abc import Awaitable
from typing import Final

from kept.domain.errors import first_line, is_outage
from kept.logs import structlog
from kept.services.ingesting.attempts import end_waiting_renders
from kept.services.ingesting.worker import Ingester
from kept.services.maintenance.index_marked import index_marked
from kept.services.maintenance.reindex import reindex
from kept.services.maintenance.tidy_up import tidy_up
from kept.services.syncing.changes import hash_new_urls
from kept.storage.blobs.store import BlobStore

log = structlog.get_logger("kept.clean")

INDEX_EVERY_SECONDS: Final = 60.0
TIDY_EVERY_MINUTES: Final = 15


async def tidy_periodically(ingester: Ingester, blobs: BlobStore) -> None:
    """For as long as a worker lives; any number may do this at once. What goes wrong is tried again next time."""
    await _attempt("protect", blobs.protect())
    while True:
        # at once: after an upgrade there may be a library that nobody can search yet
        await _attempt("index", reindex(ingester.database, gently=True))
        await _attempt("render", end_waiting_renders(ingester))
        for _ in range(TIDY_EVERY_MINUTES):
            await asyncio.sleep(INDEX_EVERY_SECONDS)
            await _attempt("index", index_marked(ingester.database))
            await _attempt("hash", hash_new_urls(ingester.database))
        await _attempt("clean", tidy_up(ingester.database, blobs, now=ingester.now()))


async def _attempt(what: str, work: Awaitable[object]) -> None:
    try:
        await work
    except Exception as error:
        if is_outage(error):
            log.warning(f"{what}.met_outage", error=first_line(error))
        else:
            log.exception(f"{what}.failed")
