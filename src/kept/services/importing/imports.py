"""Imports of a person: started, cancelled, listed, resumed and abandoned."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO, Final
from uuid import UUID

import structlog

from kept.content.import_formats.registry import BY_NAME
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, InvalidRequest, NotFound
from kept.domain.failures import FailureCode
from kept.domain.imported import FolderUse
from kept.domain.importing import (
    AT_WORK,
    UNFINISHED,
    Counts,
    Import,
    ImportState,
    WaitingLimits,
    plan_crawl,
    plan_room,
    require_state,
)
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority
from kept.ids import new_id
from kept.jobs.notifier import Notifier
from kept.services.importing.files import Importer
from kept.services.libraries.libraries import choose_library
from kept.storage import imports, users
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue

MAX_FILE_NAME: Final = 200
log = structlog.get_logger("kept.import")
# Whoever has not continued after a week will not, and the file may be large.
WAITING_KEPT: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class FileToImport:
    file: BinaryIO
    name: str
    library_id: UUID | None = None
    format: str | None = None
    folder_use: FolderUse = FolderUse.TAGS
    start: bool = False
    """Whether the import continues by itself once the file is checked."""


@dataclass(frozen=True, slots=True)
class Progress:
    found: Import
    counts: Counts

    @property
    def share(self) -> float:
        return min(self.counts.total / self.found.rows_total, 1.0) if self.found.rows_total else 0.0


async def start_import(
    importer: Importer, viewer: Viewer, upload: FileToImport, *, enqueue: bool, now: datetime
) -> Import:
    """Store an uploaded file and have it checked by a worker, or by the caller if `enqueue` is false."""
    if upload.format is not None and upload.format not in BY_NAME:
        raise InvalidRequest("There is no such format; formats are %(formats)s.", formats=", ".join(BY_NAME))
    library_id = await importer.database.read(_choose_target, viewer, upload.library_id)
    made = _describe(viewer, upload, library_id, now)
    chosen = importer.settings.limits
    limits = WaitingLimits(chosen.max_waiting_imports, chosen.max_waiting_import_bytes)
    await _make_room(importer, viewer, made, limits, now)
    await importer.blobs.put_file(made.blob_key, upload.file, "application/octet-stream")
    try:
        await importer.database.write(_insert, made, limits, now, enqueue=enqueue)
    except BaseException:
        await importer.blobs.delete(made.blob_key)
        raise
    return made


def _choose_target(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    library_id = choose_library(tx, viewer, wanted)
    require_no_other_import(tx, viewer.user_id, lock=False)  # checked again after the file is stored
    return library_id


async def _make_room(importer: Importer, viewer: Viewer, made: Import, limits: WaitingLimits, now: datetime) -> None:
    """Cancel waiting or failed imports of the user as far as the new file needs their room."""
    waiting = await importer.database.read(imports.list_with_file, viewer.user_id)
    for found in plan_room(waiting, made.file_bytes, limits):
        await cancel_import(importer, viewer, found.id, now=now)


def _describe(viewer: Viewer, upload: FileToImport, library_id: UUID, now: datetime) -> Import:
    import_id = new_id()
    return Import(
        id=import_id,
        user_id=viewer.user_id,
        library_id=library_id,
        format=upload.format or "",
        file_name=_clean_name(upload.name),
        blob_key=f"imports/{import_id.hex[-2:]}/{import_id.hex}",
        state=ImportState.CHECKING,
        rows_total=None,
        options={"folders": upload.folder_use, "start": upload.start, "bytes": _measure(upload.file)},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )


def _measure(file: BinaryIO) -> int:
    """Return the size of the file; 0 for a pipe, which only the command line reads, at once."""
    if not file.seekable():
        return 0
    here = file.tell()
    size = file.seek(0, io.SEEK_END) - here
    file.seek(here)
    return size


def _clean_name(name: str) -> str:
    printable = "".join(character for character in name if character.isprintable())
    return printable.rpartition("/")[2].rpartition("\\")[2][:MAX_FILE_NAME] or "file"


def _insert(tx: Connection, made: Import, limits: WaitingLimits, now: datetime, *, enqueue: bool) -> None:
    require_no_other_import(tx, made.user_id)
    plan_room(imports.list_with_file(tx, made.user_id), made.file_bytes, limits)  # others may have come meanwhile
    imports.insert_import(tx, made)
    if enqueue:
        queue_import(tx, made, now)


async def cancel_import(importer: Importer, viewer: Viewer, import_id: UUID, *, now: datetime) -> Import:
    """Cancel an import. What was imported so far stays.

    The file is deleted first: where that fails, nothing was cancelled.
    """
    import_ = await importer.database.read(get_import, viewer, import_id)
    require_state(import_, *UNFINISHED, ImportState.FAILED)
    await importer.blobs.delete(import_.blob_key)
    return await importer.database.write(_cancel, viewer, import_id, now)


def _cancel(tx: Connection, viewer: Viewer, import_id: UUID, now: datetime) -> Import:
    require_state(get_import(tx, viewer, import_id, lock=True), *UNFINISHED, ImportState.FAILED)
    imports.update_import(tx, import_id, now, state=ImportState.CANCELLED)
    queue.cancel(tx, JobKind.IMPORT, import_id)
    return get_import(tx, viewer, import_id)


def get_import(tx: Connection, viewer: Viewer, import_id: UUID, *, lock: bool = False) -> Import:
    """Get one of a person's own imports."""
    import_ = imports.find_import(tx, import_id, lock=lock)
    if import_ is None or import_.user_id != viewer.user_id:
        raise NotFound
    return import_


def list_imports(tx: Connection, viewer: Viewer) -> list[Progress]:
    """List a person's imports, the newest first."""
    found = imports.list_imports(tx, viewer.user_id)
    return [Progress(one, one.final_counts or imports.count_rows(tx, one.id)) for one in found]


def read_progress(tx: Connection, viewer: Viewer, import_id: UUID) -> Progress:
    """Return an import and how far it has come."""
    import_ = get_import(tx, viewer, import_id)
    return Progress(import_, import_.final_counts or imports.count_rows(tx, import_id))


def require_no_other_import(tx: Connection, user_id: UUID, *, besides: UUID | None = None, lock: bool = True) -> None:
    """Refuse a second import of one user at a time: it would keep workers from other work.

    `lock` is for the transaction that begins one: if two begin at once, the second is refused.
    """
    if lock:
        users.lock_user(tx, user_id)
    running = (found.id for found in imports.list_with_file(tx, user_id) if found.state in AT_WORK)
    if any(import_id != besides for import_id in running):
        raise Conflict("Another import of yours is running. Wait for it, or cancel it.")


def queue_import(tx: Connection, import_: Import, now: datetime) -> None:
    """Queue the `import` job, as urgent as a save because somebody waits for it. The pages it finds are less urgent."""
    queue.enqueue(tx, NewJob(JobKind.IMPORT, import_.id, None, Priority.PERSON, now, import_.user_id, None), now=now)


async def resume_import(
    database: Database, notifier: Notifier, viewer: Viewer, import_id: UUID, *, enqueue: bool = True, now: datetime
) -> Import:
    """Continue an import: after the check, when a person says so, or after a failure from where it stopped.

    With `enqueue` false the caller continues it.
    """
    found = await database.write(_resume, viewer, import_id, now, enqueue=enqueue)
    if enqueue:
        notifier.notify(JobKind.IMPORT, import_id)
    return found


def _resume(tx: Connection, viewer: Viewer, import_id: UUID, now: datetime, *, enqueue: bool) -> Import:
    get_import(tx, viewer, import_id)  # a missing import is reported first
    require_no_other_import(tx, viewer.user_id, besides=import_id)
    import_ = get_import(tx, viewer, import_id, lock=True)
    require_state(import_, ImportState.CHECKED, ImportState.FAILED, ImportState.RUNNING)
    state = ImportState.CHECKING if import_.report is None else ImportState.RUNNING
    options = {**import_.options, "start": True, "crawl_at": plan_crawl(import_.rows_total or 0, now=now)}
    imports.update_import(tx, import_id, now, state=state, problem=None, options=options)
    if enqueue:
        queue_import(tx, import_, now)
    return get_import(tx, viewer, import_id)


async def abandon_import(importer: Importer, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """Record that an import failed; the executor calls this when the attempts are used up. It can be resumed."""
    await importer.database.write(_abandon, job, message, importer.now())
    log.warning("import.given_up", import_id=str(job.subject_id), code=code)


def _abandon(tx: Connection, job: ClaimedJob, message: str, now: datetime) -> None:
    queue.finish(tx, job)
    import_ = imports.find_import(tx, job.subject_id, lock=True)
    if import_ is not None and import_.state in AT_WORK:
        imports.fail_import(tx, import_.id, message, now)


async def forget_stale_files(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    """Cancel imports that nobody continued in time. Their files go first, so that an outage leaves none."""
    waiting = [ImportState.CHECKED, ImportState.FAILED]
    stale = await database.read(imports.list_stale, waiting, now - WAITING_KEPT)
    for found in stale:
        await blobs.delete(found.blob_key)
    await database.write(_cancel_stale, stale, now)


def _cancel_stale(tx: Connection, stale: Sequence[Import], now: datetime) -> None:
    for found in stale:
        current = imports.find_import(tx, found.id, lock=True)
        if current is not None and current.updated_at == found.updated_at:
            imports.update_import(tx, found.id, now, state=ImportState.CANCELLED)
