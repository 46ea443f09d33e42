"""Removing what is no longer of use: media that no library holds, their blobs, and stale rows."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from kept.domain.errors import first_line, is_outage
from kept.domain.job import JobKind
from kept.domain.media import Media
from kept.domain.oauth import CLIENT_VALID_FOR
from kept.services.highlights.highlights import UNDO_WITHIN
from kept.services.importing.imports import forget_stale_files
from kept.services.ingesting.attempts import end_waiting_renders
from kept.services.ingesting.worker import Ingester
from kept.services.items.removal import RESTORE_WITHIN
from kept.services.maintenance.search_index import index_marked, reindex
from kept.services.pages.copies import restore_previous_copy
from kept.services.syncing.changes import hash_new_urls
from kept.storage import captures, figures, highlights, removals, synced_lists, tokens
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from kept.storage.images import BLOB_FOLDERS, folder_of, media_of
from kept.storage.media import delete_media, delete_snapshots_before, find_media
from kept.storage.queue import queue

log = structlog.get_logger("kept.clean")
AT_ONCE: Final = 100
# A blob is written before the row that names it.
YOUNG: Final = timedelta(hours=1)
INDEX_EVERY_SECONDS: Final = 60.0
TIDY_EVERY_MINUTES: Final = 15
# A job that waits longer fetches the page anew: raw HTML is not for keeping.
SNAPSHOTS_KEPT: Final = timedelta(days=1)
# A program that has not synced for longer starts anew.
TOMBSTONES_KEPT: Final = timedelta(days=90)


def remove_orphan(tx: Connection, media_id: UUID, now: datetime) -> Media | None:
    """Remove one media if no library holds it; returns the media that went.

    It cannot race a save: the media is locked before it is judged, and a save that comes a moment later finds its URL
    unknown and makes the page anew.
    """
    if not figures.lock_if_orphan(tx, media_id):
        return None
    media = find_media(tx, media_id)
    restore_previous_copy(tx, media_id, now)
    for kind in JobKind:
        queue.cancel(tx, kind, media_id)
    delete_media(tx, media_id)
    return media


async def remove_orphans(
    database: Database, blobs: BlobStore, *, now: datetime, advance: Callable[[int], None] = lambda _: None
) -> int:
    """Remove media that no library holds, and their blobs after them; returns how many media.

    Blobs go after the commit; `sweep_blobs` finds those that a crash left. `advance` is called after each batch.
    """
    await database.write(removals.forget_before, now - RESTORE_WITHIN)
    removed = 0
    while True:
        batch = await _remove_some(database, blobs, now)
        removed += batch
        advance(batch)
        if batch < AT_ONCE:
            return removed


async def _remove_some(database: Database, blobs: BlobStore, now: datetime) -> int:
    """Remove some media, each in a transaction of its own: this must not hold up those who save."""
    found = await database.read(figures.list_orphans, limit=AT_ONCE)
    removed = [gone for media_id in found if (gone := await database.write(remove_orphan, media_id, now)) is not None]
    for orphan in removed:
        await _remove_blobs(blobs, orphan)
    if removed:
        log.info("clean.removed", media=len(removed))
    return len(removed)


async def _remove_blobs(blobs: BlobStore, media: Media) -> None:
    """Remove the blobs of a media. Its id never comes again, so that nothing new can lie in its folder."""
    keys = [key for name in ("images", "pages") for key in await blobs.list(f"{name}/{folder_of(media.id)}")]
    for key in [*keys, *filter(None, [media.thumbnail_key])]:
        await blobs.delete(key)


async def sweep_blobs(
    database: Database, blobs: BlobStore, *, now: datetime, advance: Callable[[int], None] = lambda _: None
) -> int:
    """Delete blobs whose media no longer exist, after a crash, a merge or a late fetch; returns how many."""
    swept = 0
    for folder in BLOB_FOLDERS:
        owners: dict[UUID, list[str]] = {}
        for key in await blobs.list(folder, before=now - YOUNG):
            owner = media_of(key)
            if owner is not None:
                owners.setdefault(owner, []).append(key)
        for key in await _list_ownerless(database, owners):
            await blobs.delete(key)
            swept += 1
            advance(1)
    return swept


async def _list_ownerless(database: Database, owners: dict[UUID, list[str]]) -> list[str]:
    ids, gone = list(owners), list[str]()
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        existing = await database.read(figures.find_existing, some)
        ownerless = [key for owner in some if owner not in existing for key in owners[owner]]
        named = await database.read(captures.find_named, ownerless) if ownerless else set()
        gone += [key for key in ownerless if key not in named]
    return gone


async def tidy_periodically(ingester: Ingester, blobs: BlobStore) -> None:
    """Run a worker's periodic work: fill gaps in the search index, hash new URLs, end waiting renders, tidy up.

    It runs for as long as a worker lives, and any number may run at once. What fails is tried again next time.
    """
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


async def tidy_up(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    """Remove what is no longer of use: orphaned media, stale snapshots, old removed highlights, tombstones of items,
    old requests of apps, and files of old imports."""
    await remove_orphans(database, blobs, now=now)
    await database.write(delete_snapshots_before, now - SNAPSHOTS_KEPT)
    await database.write(highlights.forget_removed_before, now - UNDO_WITHIN)
    await database.write(highlights.forget_former_texts)
    await database.write(synced_lists.forget_tombstones, now - TOMBSTONES_KEPT)
    await database.write(tokens.forget_expired, grants_before=now, clients_before=now - CLIENT_VALID_FOR)
    await forget_stale_files(database, blobs, now=now)
