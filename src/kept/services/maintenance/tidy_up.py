"""Remove what is no longer of use (media nobody holds, page snapshots whose job never came, removed highlights that can
no longer be brought back, tombstones of items, apps that asked for access long ago, files of old imports), and queue
pages that were forgotten."""

from datetime import datetime, timedelta
from typing import Final

from kept.domain.oauth import CLIENT_VALID_FOR
from kept.services.highlights.highlights import UNDO_WITHIN
from kept.services.importing.imports import forget_stale_files
from kept.services.ingesting.retries import queue_forgotten_pages
from kept.services.maintenance.remove_orphans import remove_orphans
from kept.storage import highlights, media, oauth, synced_lists
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database

# A job that waits longer fetches the page anew: raw HTML is not for keeping.
SNAPSHOTS_KEPT: Final = timedelta(days=1)
# A program that has not synced for longer starts anew.
TOMBSTONES_KEPT: Final = timedelta(days=90)


async def tidy_up(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    await remove_orphans(database, blobs, now=now)
    await queue_forgotten_pages(database, now=now)
    await database.write(media.delete_snapshots_before, now - SNAPSHOTS_KEPT)
    await database.write(highlights.forget_removed_before, now - UNDO_WITHIN)
    await database.write(highlights.forget_former_texts)
    await database.write(synced_lists.forget_tombstones, now - TOMBSTONES_KEPT)
    await database.write(oauth.forget_expired, grants_before=now, clients_before=now - CLIENT_VALID_FOR)
    await forget_stale_files(database, blobs, now=now)
