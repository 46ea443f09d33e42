"""Run an import: read the file, write its rows in short transactions, go on after whatever stopped it.

A worker runs it in slices well within a job's time; `kept import` runs it in its own process. Rows are written in the
order they stand in the file, so that the number of rows written is where to go on.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedRow
from kept.content.import_formats.registry import Unrecognised
from kept.domain.errors import Conflict
from kept.domain.importing import Import, ImportState, plan_crawl
from kept.domain.job import ClaimedJob, LeaseLost
from kept.services.importing.check_file import Purpose, Report, check_file
from kept.services.importing.importer import Importer
from kept.services.importing.store_imported_images import store_imported_images
from kept.services.importing.write_import_rows import write_import_rows
from kept.storage import imports
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.subprocesses.import_reader import FileToRead, FileUnreadable, ImportReader

# About 15 ms of SQLite's one write lock; others wait no longer than that for their turn.
ROWS_AT_ONCE: Final = 50
# Of the time an import held the lock, how long it then leaves it alone: a person saving must not stand in line.
REST: Final = 0.8
FILE_IS_GONE: Final = "The file is no longer there; upload it again."


@dataclass(frozen=True, slots=True)
class Slice:
    """For whom an import goes on, and for how long: a worker's job until its time is up, or a command to the end."""

    job: ClaimedJob | None = None
    ends_at: float | None = None
    on_rows: Callable[[int, int | None], None] | None = None
    """Told how many rows are written so far, and of how many."""


async def advance_import(importer: Importer, import_id: UUID, slice_: Slice) -> bool:
    """Check, then write, for as long as there is time. False if something is left to do."""
    found = await importer.database.read(imports.find_import, import_id)
    if found is not None and found.state is ImportState.CHECKING:
        found = await _check(importer, found)
    if found is not None and found.state is ImportState.DONE:  # and then the blob store was away
        await importer.blobs.delete(found.blob_key)
    if found is None or found.state is not ImportState.RUNNING:
        return True
    stream = await importer.blobs.open(found.blob_key)
    if stream is None:
        await _fail(importer, found, FILE_IS_GONE)
        return True
    with stream:
        return await _write_rows_or_fail(importer, found, stream, slice_)


# --- checking -----------------------------------------------------------------------------------------------------


async def _check(importer: Importer, found: Import) -> Import | None:
    stream = await importer.blobs.open(found.blob_key)
    if stream is None:
        await _fail(importer, found, FILE_IS_GONE)
        return None
    purpose = Purpose(found.user_id, found.library_id, found.folder_use, found.format or None)
    with stream:
        report = await check_file(importer, stream, found.file_name, purpose, now=importer.now())
    if isinstance(report, Unrecognised):
        await _fail(importer, found, report.reason)
        return None
    return await importer.database.write(_record_check, found, report, importer.now())


def _record_check(tx: Connection, found: Import, report: Report, now: datetime) -> Import | None:
    current = imports.find_import(tx, found.id, lock=True)
    if current is not None and current.state is ImportState.CHECKING:
        imports.update_import(
            tx,
            found.id,
            now,
            state=ImportState.RUNNING if found.starts_by_itself else ImportState.CHECKED,
            format=report.format,
            rows_total=report.counts.total,
            options={**found.options, "crawl_at": plan_crawl(report.counts.total, now=now)},
            report=report.as_json(),
        )
    return imports.find_import(tx, found.id)


async def _fail(importer: Importer, found: Import, problem: str) -> None:
    await importer.database.write(imports.fail_import, found.id, problem, importer.now())


# --- writing ------------------------------------------------------------------------------------------------------


async def _write_rows_or_fail(importer: Importer, found: Import, stream: BinaryIO, slice_: Slice) -> bool:
    done = await importer.database.read(imports.find_next_ordinal, found.id)
    file = FileToRead(stream, found.file_name, found.format, found.folder_use, importer.now(), first=done)
    try:
        async with importer.readers.start(stream) as reader:
            await reader.open(file)
            return await _write_rows(importer, found, reader, slice_)
    except FileUnreadable as error:
        await _fail(importer, found, str(error))
        return True


async def _write_rows(importer: Importer, found: Import, reader: ImportReader, slice_: Slice) -> bool:
    some = await reader.next_rows(ROWS_AT_ONCE)
    while some:
        some = await store_imported_images(importer, reader, found, some)
        started = time.monotonic()
        if not await importer.database.write(_write_batch, importer, found, some, slice_.job, importer.now()):
            return True
        if slice_.on_rows is not None:
            slice_.on_rows(some[-1].ordinal + 1, found.rows_total)
        if slice_.ends_at is not None and time.monotonic() > slice_.ends_at:
            return False
        resting = asyncio.sleep((time.monotonic() - started) * REST)
        some, _ = await asyncio.gather(reader.next_rows(ROWS_AT_ONCE), resting)
    await importer.database.write(_finish, found, importer.now())
    await importer.blobs.delete(found.blob_key)
    return True


def _write_batch(
    tx: Connection,
    importer: Importer,
    found: Import,
    rows: Sequence[PreparedRow],
    job: ClaimedJob | None,
    now: datetime,
) -> bool:
    """False if the import was cancelled meanwhile."""
    if job is not None:
        queue.renew_with_progress(tx, job, now=now, lease_seconds=importer.settings.lease_seconds)
    current = imports.find_import(tx, found.id, lock=True)
    if current is None or current.state is not ImportState.RUNNING:
        return False
    if imports.find_next_ordinal(tx, found.id) != rows[0].ordinal:
        if job is not None:
            raise LeaseLost
        raise Conflict("Another process goes on with this import.")
    write_import_rows(tx, found, rows, now)
    return True


def _finish(tx: Connection, found: Import, now: datetime) -> None:
    counts = imports.count_rows(tx, found.id)
    options = {**found.options, "counts": asdict(counts)}
    imports.update_import(tx, found.id, now, state=ImportState.DONE, rows_total=counts.total, options=options)
