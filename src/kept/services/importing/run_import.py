"""Run an import: read the file, write its rows in short transactions, go on after whatever stopped it.

A worker runs it as a job, in slices well within a job's time; `kept import` runs it in its own process. Rows are
written in the order they stand in the file, so that the number of rows written is where to go on.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import BinaryIO, Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.config import Settings
from kept.content.import_formats.registry import Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import BroughtFile
from kept.domain.errors import Conflict
from kept.domain.failures import FailureCode
from kept.domain.importing import Import, ImportState, plan_crawl
from kept.jobs import queue
from kept.jobs.queue import ClaimedJob, LeaseLost
from kept.services.importing.check_file import Purpose, check_file, take
from kept.services.importing.plan_import_batch import place_links
from kept.services.importing.prepare_rows import PreparedRow, prepare_rows
from kept.services.importing.store_imported_images import keep_pictures
from kept.storage import imports
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import AsyncConnection, Database
from kept.subprocesses.image_pool import ImagePool

log = structlog.get_logger("kept.import")

# About 15 ms of SQLite's one write lock; others wait no longer than that for their turn.
ROWS_AT_ONCE: Final = 50
# Of the time an import held the lock, how long it then leaves it alone: a person saving must not stand in line.
REST: Final = 0.8
SHARE_OF_JOB: Final = 0.5
FILE_IS_GONE: Final = "The file is no longer there; bring it again."

Progress = Callable[[int, int | None], None]
"""Rows written so far, and of how many."""


@dataclass(frozen=True, slots=True)
class Importer:
    """What importing needs; made once by the wiring."""

    database: Database
    blobs: BlobStore
    settings: Settings
    pictures: ImagePool


async def run_import(importer: Importer, job: ClaimedJob) -> None:
    """The `import` job: as much as fits into half of its time, and the rest is for the next claim."""
    ends_at = time.monotonic() + importer.settings.job_seconds * SHARE_OF_JOB
    is_over = await advance(importer, job.subject_id, job=job, ends_at=ends_at)
    log.info("import.over" if is_over else "import.goes_on", import_id=str(job.subject_id))
    async with importer.database.write() as tx:
        if is_over:
            await queue.finish(tx, job)
        else:
            await queue.go_on_later(tx, job, utc_now())


async def give_up_import(importer: Importer, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """For the executor. What was imported stays, and the import can be taken up again."""
    async with importer.database.write() as tx:
        await queue.finish(tx, job)
        found = await imports.find_import(tx, job.subject_id, lock=True)
        if found is not None and found.state in {ImportState.CHECKING, ImportState.RUNNING}:
            await imports.update_import(tx, found.id, utc_now(), state=ImportState.FAILED, problem=message)
    log.warning("import.given_up", import_id=str(job.subject_id), code=code)


async def advance(
    importer: Importer,
    import_id: UUID,
    *,
    job: ClaimedJob | None = None,
    ends_at: float | None = None,
    progress: Progress | None = None,
) -> bool:
    """Check, then write, for as long as there is time. False if something is left to do."""
    async with importer.database.read() as tx:
        found = await imports.find_import(tx, import_id)
    if found is not None and found.state is ImportState.CHECKING:
        found = await check(importer, found)
    if found is not None and found.state is ImportState.DONE:  # and then the blob store was away
        await importer.blobs.delete(found.blob_key)
    if found is None or found.state is not ImportState.RUNNING:
        return True
    stream = await importer.blobs.open(found.blob_key)
    if stream is None:
        await fail(importer, found, FILE_IS_GONE)
        return True
    with stream:
        return await write_rows(importer, found, stream, job, ends_at, progress)


async def check(importer: Importer, found: Import) -> Import | None:
    stream = await importer.blobs.open(found.blob_key)
    if stream is None:
        await fail(importer, found, FILE_IS_GONE)
        return None
    purpose = Purpose(found.user_id, found.library_id, found.folder_use, found.format or None)
    with stream:
        report = await check_file(importer.database, importer.settings, stream, found.file_name, purpose, now=utc_now())
    if isinstance(report, Unrecognised):
        await fail(importer, found, report.reason)
        return None
    state = ImportState.RUNNING if found.starts_by_itself else ImportState.CHECKED
    async with importer.database.write() as tx:
        current = await imports.find_import(tx, found.id, lock=True)
        if current is not None and current.state is ImportState.CHECKING:
            await imports.update_import(
                tx,
                found.id,
                utc_now(),
                state=state,
                format=report.format,
                rows_total=report.counts.total,
                options={**found.options, "crawl_at": plan_crawl(report.counts.total, now=utc_now())},
                report=report.as_json(),
            )
        return await imports.find_import(tx, found.id)


async def fail(importer: Importer, found: Import, problem: str) -> None:
    async with importer.database.write() as tx:
        await imports.update_import(tx, found.id, utc_now(), state=ImportState.FAILED, problem=problem)


async def write_rows(
    importer: Importer,
    found: Import,
    stream: BinaryIO,
    job: ClaimedJob | None,
    ends_at: float | None,
    progress: Progress | None,
) -> bool:
    file = BroughtFile(stream, found.file_name)
    reader = await asyncio.to_thread(find_reader, file, found.format)
    if isinstance(reader, Unrecognised):
        await fail(importer, found, reader.reason)
        return True
    async with importer.database.read() as tx:
        done = await imports.find_next_ordinal(tx, found.id)
    entries = islice(reader.read(file), done, None)
    rows = prepare_rows(entries, first=done, folder_use=found.folder_use, now=utc_now())
    some = await asyncio.to_thread(take, rows, ROWS_AT_ONCE)
    while some:
        some = await keep_pictures(importer.blobs, importer.pictures, importer.settings, found.id, some)
        started = time.monotonic()
        if not await write_batch(importer, found, some, job):
            return True
        if progress is not None:
            progress(some[-1].ordinal + 1, found.rows_total)
        if ends_at is not None and time.monotonic() > ends_at:
            return False
        resting = asyncio.sleep((time.monotonic() - started) * REST)
        some, _ = await asyncio.gather(asyncio.to_thread(take, rows, ROWS_AT_ONCE), resting)
    await finish(importer, found)
    return True


async def write_batch(importer: Importer, found: Import, rows: Sequence[PreparedRow], job: ClaimedJob | None) -> bool:
    """False if the import was cancelled meanwhile."""
    # Somebody may save one of these addresses at the same moment.
    return await importer.database.write_despite_races(lambda tx: write_batch_in(tx, importer, found, rows, job))


async def write_batch_in(
    tx: AsyncConnection, importer: Importer, found: Import, rows: Sequence[PreparedRow], job: ClaimedJob | None
) -> bool:
    now = utc_now()
    if job is not None:
        await queue.renew_with_progress(tx, job, now=now, lease_seconds=importer.settings.lease_seconds)
    current = await imports.find_import(tx, found.id, lock=True)
    if current is None or current.state is not ImportState.RUNNING:
        return False
    if await imports.find_next_ordinal(tx, found.id) != rows[0].ordinal:
        if job is not None:
            raise LeaseLost
        raise Conflict("Another process goes on with this import.")
    await place_links(tx, found, rows, now)
    return True


async def finish(importer: Importer, found: Import) -> None:
    async with importer.database.write() as tx:
        counts = await imports.count_rows(tx, found.id)
        options = {**found.options, "counts": asdict(counts)}
        ended = {"state": ImportState.DONE, "rows_total": counts.total, "options": options}
        await imports.update_import(tx, found.id, utc_now(), **ended)
    await importer.blobs.delete(found.blob_key)
