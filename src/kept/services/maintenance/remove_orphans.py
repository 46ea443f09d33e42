"""The clean-up: media that no library holds go, and their blobs after them. For a worker's loop and `kept clean`.

It cannot race a save: the media is locked before it is judged, and a save that comes a moment later finds its address
unknown and makes the page anew. Blobs go after the commit; those a crash left behind are found by `sweep_blobs`.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.domain.media import Media
from kept.services.items.remove_items import UNDO_WITHIN
from kept.storage import copies, media, orphans, removed_items
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.images import BLOB_FOLDERS, folder_of, media_of
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind

log = structlog.get_logger("kept.clean")

AT_ONCE: Final = 100


async def remove_orphans(database: Database, blobs: BlobStore, *, limit: int = AT_ONCE) -> int:
    """How many media went. Fewer than `limit` means that none is left for now."""
    async with database.write() as tx:
        await removed_items.forget_before(tx, utc_now() - UNDO_WITHIN)
    async with database.read() as tx:
        found = await orphans.list_orphans(tx, limit=limit)
    removed = [orphan for media_id in found if (orphan := await remove_orphan(database, media_id)) is not None]
    for orphan in removed:
        await remove_blobs(blobs, orphan)
    if removed:
        log.info("clean.removed", media=len(removed))
    return len(removed)


async def remove_orphan(database: Database, media_id: UUID) -> Media | None:
    """Each in a transaction of its own: a clean-up must not hold up those who save."""
    async with database.write() as tx:
        if not await orphans.lock_if_orphan(tx, media_id):
            return None
        found = await media.find_media(tx, media_id)
        await bequeath(tx, media_id)
        for kind in JobKind:
            await queue.cancel(tx, kind, media_id)
        await media.delete_media(tx, media_id)
        return found


async def bequeath(tx: AsyncConnection, media_id: UUID) -> None:
    """An older copy that somebody holds is the page again."""
    heir_id = await orphans.find_heir(tx, media_id)
    standing = await media.find_media(tx, media_id)
    if heir_id is not None and standing is not None and standing.is_readable:
        await copies.pass_on_identity(tx, media_id, heir_id, utc_now())


async def remove_blobs(blobs: BlobStore, orphan: Media) -> None:
    """A media's id never comes again, so that nothing new can lie in its folder."""
    keys = await blobs.list(f"images/{folder_of(orphan.id)}")
    for key in [*keys, *filter(None, [orphan.thumbnail_key])]:
        await blobs.delete(key)


async def sweep_blobs(database: Database, blobs: BlobStore) -> int:
    """Delete what belongs to media that are no longer there: a crash, a merge or a late fetch may leave such."""
    swept = 0
    for folder in BLOB_FOLDERS:
        owners: dict[UUID, list[str]] = {}
        for key in await blobs.list(folder):
            owner = media_of(key)
            if owner is not None:
                owners.setdefault(owner, []).append(key)
        for key in await list_ownerless(database, owners):
            await blobs.delete(key)
            swept += 1
    return swept


async def list_ownerless(database: Database, owners: dict[UUID, list[str]]) -> Iterable[str]:
    ids, gone = list(owners), []
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        async with database.read() as tx:
            existing = await orphans.find_existing(tx, some)
        gone += [key for owner in some if owner not in existing for key in owners[owner]]
    return gone
