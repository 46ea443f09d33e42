"""Cancel an import. What was imported so far stays."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.importing import UNFINISHED, Import, ImportState, require_state
from kept.domain.job import JobKind
from kept.services.importing.get_import import get_import
from kept.services.importing.importer import Importer
from kept.storage import imports
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


async def cancel_import(importer: Importer, viewer: Viewer, import_id: UUID, *, now: datetime) -> Import:
    """The file goes first: where that fails, nothing was cancelled."""
    found = await importer.database.read(get_import, viewer, import_id)
    require_state(found, *UNFINISHED, ImportState.FAILED)
    await importer.blobs.delete(found.blob_key)
    return await importer.database.write(_cancel, viewer, import_id, now)


def _cancel(tx: Connection, viewer: Viewer, import_id: UUID, now: datetime) -> Import:
    require_state(get_import(tx, viewer, import_id, lock=True), *UNFINISHED, ImportState.FAILED)
    imports.update_import(tx, import_id, now, state=ImportState.CANCELLED)
    queue.cancel(tx, JobKind.IMPORT, import_id)
    return get_import(tx, viewer, import_id)
