"""Delete blobs of media that are no longer there: a crash, a merge or a late fetch may leave such."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.storage import captures, orphans
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.storage.images import BLOB_FOLDERS, media_of

AT_ONCE: Final = 100
# A blob is written before the row that names it.
YOUNG: Final = timedelta(hours=1)


async def sweep_blobs(
    database: Database, blobs: BlobStore, *, now: datetime, advance: Callable[[int], None] = lambda _: None
) -> int:
    """How many blobs went; `advance` is told of each."""
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
        existing = await database.read(orphans.find_existing, some)
        ownerless = [key for owner in some if owner not in existing for key in owners[owner]]
        named = await database.read(captures.find_named, ownerless) if ownerless else set()
        gone += [key for key in ownerless if key not in named]
    return gone
