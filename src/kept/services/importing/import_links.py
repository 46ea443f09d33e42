"""Imports as people handle them: bring a file, see what it holds, say go, look on, stop, take up again."""

import csv
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.export_formats.csv_file import neutralise
from kept.content.import_formats.registry import BY_NAME
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, InvalidRequest, NotFound
from kept.domain.imported import FolderUse
from kept.domain.importing import (
    AT_WORK,
    UNFINISHED,
    Counts,
    Import,
    ImportedRow,
    ImportState,
    plan_crawl,
    require_state,
)
from kept.ids import new_id
from kept.storage.jobs import queue
from kept.jobs.notifier import Notifier
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.services.importing.run_import import Importer
from kept.services.saving.save_link import choose_library
from kept.storage import imports, libraries
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import AsyncConnection, Database

MAX_FILE_NAME: Final = 200
# Who has not said to go on after a week will not, and the file may be large.
WAITING_KEPT: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class FileToImport:
    file: BinaryIO
    name: str
    library_id: UUID | None = None
    format: str | None = None
    folder_use: FolderUse = FolderUse.TAGS
    start: bool = False
    """Go on by itself once the file was checked."""


@dataclass(frozen=True, slots=True)
class Progress:
    """An import and how far it has come."""

    found: Import
    counts: Counts

    @property
    def share(self) -> float:
        return min(self.counts.total / self.found.rows_total, 1.0) if self.found.rows_total else 0.0


async def start_import(
    importer: Importer, viewer: Viewer, brought: FileToImport, *, enqueue: bool, now: datetime
) -> Import:
    """Keep the file and have it checked: by a worker, or with `enqueue` false by the caller."""
    if brought.format is not None and brought.format not in BY_NAME:
        raise InvalidRequest(f"There is no such format; formats are {', '.join(BY_NAME)}.")
    import_id = new_id()
    key = f"imports/{import_id.hex[-2:]}/{import_id.hex}"
    async with importer.database.read() as tx:
        library_id = await find_target(tx, viewer, brought.library_id)
        await require_none_running(tx, viewer)
    await importer.blobs.put_file(key, brought.file, "application/octet-stream")
    made = Import(
        id=import_id,
        user_id=viewer.user_id,
        library_id=library_id,
        format=brought.format or "",
        file_name=clean_name(brought.name),
        blob_key=key,
        state=ImportState.CHECKING,
        rows_total=None,
        options={"folders": brought.folder_use, "start": brought.start},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )
    try:
        async with importer.database.write() as tx:
            await imports.insert_import(tx, made)
            if enqueue:
                await enqueue_job(tx, made, now)
    except BaseException:
        await importer.blobs.delete(key)
        raise
    return made


async def find_target(tx: AsyncConnection, viewer: Viewer, wanted: UUID | None) -> UUID:
    default_id = await libraries.get_default_library_id(tx, viewer.user_id)
    return await choose_library(tx, viewer, wanted, default_id)


async def require_none_running(tx: AsyncConnection, viewer: Viewer) -> None:
    """One at a time for each person: a worker has other things to do too."""
    if any(found.state in AT_WORK for found in await imports.list_imports(tx, viewer.user_id)):
        raise Conflict("Another import of yours is at work; wait for it, or cancel it.")


def clean_name(name: str) -> str:
    printable = "".join(character for character in name if character.isprintable())
    return printable.rpartition("/")[2].rpartition("\\")[2][:MAX_FILE_NAME] or "file"


async def enqueue_job(tx: AsyncConnection, found: Import, now: datetime) -> None:
    """As urgent as a save: somebody looks on. What it finds to fetch is not."""
    job = NewJob(JobKind.IMPORT, found.id, None, Priority.PERSON, now, found.user_id, None)
    await queue.enqueue(tx, job, now=now)


async def list_imports(database: Database, viewer: Viewer) -> list[Progress]:
    async with database.read() as tx:
        found = await imports.list_imports(tx, viewer.user_id)
        return [Progress(one, one.final_counts or await imports.count_rows(tx, one.id)) for one in found]


async def read_progress(database: Database, viewer: Viewer, import_id: UUID) -> Progress:
    async with database.read() as tx:
        found = await get_own(tx, viewer, import_id)
        return Progress(found, found.final_counts or await imports.count_rows(tx, import_id))


async def get_own(tx: AsyncConnection, viewer: Viewer, import_id: UUID, *, lock: bool = False) -> Import:
    found = await imports.find_import(tx, import_id, lock=lock)
    if found is None or found.user_id != viewer.user_id:
        raise NotFound
    return found


async def go_on(
    importer: Importer, notifier: Notifier, viewer: Viewer, import_id: UUID, *, enqueue: bool = True, now: datetime
) -> Import:
    """A person's yes after the check; or, after a failure or a crash, from where it stopped."""
    async with importer.database.write() as tx:
        found = await get_own(tx, viewer, import_id, lock=True)
        require_state(found, ImportState.CHECKED, ImportState.FAILED, ImportState.RUNNING)
        state = ImportState.CHECKING if found.report is None else ImportState.RUNNING
        options = {**found.options, "start": True, "crawl_at": plan_crawl(found.rows_total or 0, now=now)}
        await imports.update_import(tx, import_id, now, state=state, problem=None, options=options)
        if enqueue:
            await enqueue_job(tx, found, now)
        found = await get_own(tx, viewer, import_id)
    if enqueue:
        notifier.notify(JobKind.IMPORT, import_id)
    return found


async def cancel_import(importer: Importer, viewer: Viewer, import_id: UUID, *, now: datetime) -> Import:
    """What was imported so far stays. The file goes first: where that fails, nothing was cancelled."""
    async with importer.database.read() as tx:
        found = await get_own(tx, viewer, import_id)
    require_state(found, *UNFINISHED, ImportState.FAILED)
    await importer.blobs.delete(found.blob_key)
    async with importer.database.write() as tx:
        require_state(await get_own(tx, viewer, import_id, lock=True), *UNFINISHED, ImportState.FAILED)
        await imports.update_import(tx, import_id, now, state=ImportState.CANCELLED)
        await queue.cancel(tx, JobKind.IMPORT, import_id)
        return await get_own(tx, viewer, import_id)


async def write_outcomes(database: Database, import_id: UUID) -> AsyncIterator[str]:
    """The outcome file: a line for each row. For an import the caller has checked."""
    yield csv_line("row", "outcome", "reason", "url", "item_id")
    async for row in imports.iterate_rows(database, import_id):
        yield outcome_line(row)


def outcome_line(row: ImportedRow) -> str:
    item_id = str(row.item_id) if row.item_id else ""
    return csv_line(str(row.ordinal + 1), row.outcome, row.reason or "", row.url or "", item_id)


def csv_line(*cells: str) -> str:
    target = io.StringIO()
    csv.writer(target).writerow([neutralise(cell) for cell in cells])
    return target.getvalue()


async def forget_stale_files(database: Database, blobs: BlobStore, *, now: datetime) -> None:
    """Cancel imports that wait for a word nobody gave. Their files go first, or an outage would leave them behind."""
    async with database.read() as tx:
        stale = await imports.list_stale(tx, [ImportState.CHECKED, ImportState.FAILED], now - WAITING_KEPT)
    for found in stale:
        await blobs.delete(found.blob_key)
    async with database.write() as tx:
        for found in stale:
            current = await imports.find_import(tx, found.id, lock=True)
            if current is not None and current.updated_at == found.updated_at:
                await imports.update_import(tx, found.id, now, state=ImportState.CANCELLED)
