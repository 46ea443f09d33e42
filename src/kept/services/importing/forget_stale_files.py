"""Cancel imports that wait for a word nobody gave. Their files go first, or an outage would leave them behind."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from kept.domain.importing import Import, ImportState
from kept.storage import imports
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database

# Who has not said to go on after a week will not, and the file may be large.
WAITING_KEPT: Final = timedelta(days=7)


async def forget_stale_files(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    waiting = [ImportState.CHECKED, ImportState.FAILED]
    stale = await database.read(imports.list_stale, waiting, now - WAITING_KEPT)
    for found in stale:
        await blobs.delete(found.blob_key)
    await database.write(_cancel, stale, now)


def _cancel(tx: Connection, stale: Sequence[Import], now: datetime) -> None:
    for found in stale:
        current = imports.find_import(tx, found.id, lock=True)
        if current is not None and current.updated_at == found.updated_at:
            imports.update_import(tx, found.id, now, state=ImportState.CANCELLED)
