"""Remove media that no library holds, and their blobs after them. For a worker's loop and `kept clean`.

Blobs go after the commit; those that a crash left behind are found by `sweep_blobs`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from kept.domain.media import Media
from kept.logs import structlog
from kept.services.items.removal import RESTORE_WITHIN
from kept.services.maintenance.remove_orphan import remove_orphan
from kept.storage import orphans, removed_items
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.storage.images import folder_of

log = structlog.get_logger("kept.clean")

AT_ONCE: Final = 100


async def remove_orphans(
    database: Database, blobs: BlobStore, *, now: datetime, advance: Callable[[int], None] = lambda _: None
) -> int:
    """How many media went; `advance` is told of each batch."""
    await database.write(removed_items.forget_before, now - RESTORE_WITHIN)
    removed = 0
    while True:
        batch = await _remove_some(database, blobs, now)
        removed += batch
        advance(batch)
        if batch < AT_ONCE:
            return removed


async def _remove_some(database: Database, blobs: BlobStore, now: datetime) -> int:
    """Each in a transaction of its own: this must not hold up those who save."""
    found = await database.read(orphans.list_orphans, limit=AT_ONCE)
    removed = [gone for media_id in found if (gone := await database.write(remove_orphan, media_id, now)) is not None]
    for media in removed:
        await _remove_blobs(blobs, media)
    if removed:
        log.info("clean.removed", media=len(removed))
    return len(removed)


async def _remove_blobs(blobs: BlobStore, media: Media) -> None:
    """A media's id never comes again, so that nothing new can lie in its folder."""
    keys = [key for name in ("images", "pages") for key in await blobs.list(f"{name}/{folder_of(media.id)}")]
    for key in [*keys, *filter(None, [media.thumbnail_key])]:
        await blobs.delete(key)
