"""The job `import`: a file is checked, its rows are written in short transactions, and their outcomes are reported."""

import asyncio
import csv
import io
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, BinaryIO, Final
from uuid import UUID

import structlog

from kept.content.export_formats.csv_file import neutralise
from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.content.import_formats.registry import Unrecognised
from kept.domain.errors import Conflict
from kept.domain.imported import FolderUse
from kept.domain.importing import Counts, Import, ImportedRow, ImportState, plan_crawl
from kept.domain.job import ClaimedJob, LeaseLost, Priority
from kept.domain.message import Message
from kept.services.importing.files import Importer, store_imported_images
from kept.services.saving.batches import BatchOrder, look_up_batch, plan_import_batch, write_import_batch
from kept.storage import bulk, imports, libraries
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.subprocesses.imports import FileToRead, FileUnreadable, ImportReader

log = structlog.get_logger("kept.import")
SHARE_OF_JOB: Final = 0.5
# About 15 ms of SQLite's one write lock; others wait no longer than that for their turn.
ROWS_AT_ONCE: Final = 50
# The rest after each write, as a share of the time the lock was held, so that a save need not wait.
REST: Final = 0.8
FILE_IS_GONE: Final = "The file is no longer there; upload it again."
CHECKED_AT_ONCE: Final = 500
SAMPLES: Final = 10
PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class Slice:
    """The job for which an import runs until the job's time is up; a command has none and runs to the end."""

    job: ClaimedJob | None = None
    ends_at: float | None = None
    on_rows: Callable[[int, int | None], None] | None = None
    """A function that is called with how many rows are written so far, and of how many."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The user, library and options that an import is checked for."""

    user_id: UUID
    library_id: UUID
    folder_use: FolderUse
    format: str | None


@dataclass(slots=True)
class Report:
    """The report of a check: what an import would do."""

    format: str
    imported: int = 0
    already_there: int = 0
    rejected: int = 0
    with_article: int = 0
    highlights: int = 0
    samples: list[dict[str, Any]] = field(default_factory=list)
    problems: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def counts(self) -> Counts:
        return Counts(self.imported, self.already_there, self.rejected)

    def as_json(self) -> dict[str, Any]:
        return {
            "rows": self.counts.total,
            "imported": self.imported,
            "already_there": self.already_there,
            "rejected": self.rejected,
            "with_article": self.with_article,
            "highlights": self.highlights,
            "samples": self.samples,
            "problems": sorted(self.problems.values(), key=lambda problem: -problem["count"]),
        }


async def run_import(importer: Importer, job: ClaimedJob) -> None:
    """Run the `import` job for half of its time, and leave the rest to the next claim."""
    ends_at = time.monotonic() + importer.settings.limits.job_seconds * SHARE_OF_JOB
    is_over = await advance_import(importer, job.subject_id, Slice(job=job, ends_at=ends_at))
    log.info("import.over" if is_over else "import.goes_on", import_id=str(job.subject_id))
    if is_over:
        await importer.database.write(queue.finish, job)
    else:
        await importer.database.write(queue.go_on_later, job, importer.now())


async def advance_import(importer: Importer, import_id: UUID, slice_: Slice) -> bool:
    """Check an import's file, then write its rows in short transactions, for as long as there is time.

    A worker runs it in slices well within a job's time; `kept import` runs it in its own process. Rows are written in
    the order they stand in the file, so that after whatever stopped it the number of rows written is where to go on.
    Returns False if something is left to do.
    """
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


async def _check(importer: Importer, import_: Import) -> Import | None:
    stream = await importer.blobs.open(import_.blob_key)
    if stream is None:
        await _fail(importer, import_, FILE_IS_GONE)
        return None
    purpose = Purpose(import_.user_id, import_.library_id, import_.folder_use, import_.format or None)
    with stream:
        report = await check_file(importer, stream, import_.file_name, purpose, now=importer.now())
    if isinstance(report, Unrecognised):
        await _fail(importer, import_, report.reason)
        return None
    return await importer.database.write(_record_check, import_, report, importer.now())


def _record_check(tx: Connection, import_: Import, report: Report, now: datetime) -> Import | None:
    current = imports.find_import(tx, import_.id, lock=True)
    if current is not None and current.state is ImportState.CHECKING:
        imports.update_import(
            tx,
            import_.id,
            now,
            state=ImportState.RUNNING if import_.starts_by_itself else ImportState.CHECKED,
            format=report.format,
            rows_total=report.counts.total,
            options={**import_.options, "crawl_at": plan_crawl(report.counts.total, now=now)},
            report=report.as_json(),
        )
    return imports.find_import(tx, import_.id)


async def _fail(importer: Importer, import_: Import, problem: str | Message) -> None:
    await importer.database.write(_record_problem, import_, problem, importer.now())


def _record_problem(tx: Connection, import_: Import, problem: str | Message, now: datetime) -> None:
    imports.fail_import(tx, import_.id, str(problem), now)
    if isinstance(problem, Message):
        told = {"text": problem.text, "values": dict(problem.values)}
        imports.update_import(tx, import_.id, now, options={**import_.options, "problem": told})


# --- writing ------------------------------------------------------------------------------------------------------


async def _write_rows_or_fail(importer: Importer, import_: Import, stream: BinaryIO, slice_: Slice) -> bool:
    done = await importer.database.read(imports.find_next_ordinal, import_.id)
    file = FileToRead(stream, import_.file_name, import_.format, import_.folder_use, importer.now(), first=done)
    try:
        async with importer.readers.start(stream) as reader:
            await reader.open(file)
            return await _write_rows(importer, import_, reader, slice_)
    except FileUnreadable as error:
        await _fail(importer, import_, str(error))
        return True


async def _write_rows(importer: Importer, import_: Import, reader: ImportReader, slice_: Slice) -> bool:
    some = await reader.next_rows(ROWS_AT_ONCE)
    while some:
        some = await store_imported_images(importer, reader, import_, some)
        started = time.monotonic()
        if not await importer.database.write(_write_batch, importer, import_, some, slice_.job, importer.now()):
            return True
        if slice_.on_rows is not None:
            slice_.on_rows(some[-1].ordinal + 1, import_.rows_total)
        if slice_.ends_at is not None and time.monotonic() > slice_.ends_at:
            return False
        resting = asyncio.sleep((time.monotonic() - started) * REST)
        some, _ = await asyncio.gather(reader.next_rows(ROWS_AT_ONCE), resting)
    await importer.database.write(_finish, import_, importer.now())
    await importer.blobs.delete(import_.blob_key)
    return True


def _write_batch(
    tx: Connection,
    importer: Importer,
    import_: Import,
    rows: Sequence[PreparedRow],
    job: ClaimedJob | None,
    now: datetime,
) -> bool:
    """Write some rows; returns False if the import was cancelled meanwhile."""
    if job is not None:
        queue.renew_with_progress(tx, job, now=now, lease_seconds=importer.settings.lease_seconds)
    current = imports.find_import(tx, import_.id, lock=True)
    if current is None or current.state is not ImportState.RUNNING:
        return False
    if imports.find_next_ordinal(tx, import_.id) != rows[0].ordinal:
        if job is not None:
            raise LeaseLost
        raise Conflict("Another process goes on with this import.")
    write_import_rows(tx, import_, rows, now)
    return True


def _finish(tx: Connection, import_: Import, now: datetime) -> None:
    counts = imports.count_rows(tx, import_.id)
    options = {**import_.options, "counts": asdict(counts)}
    imports.update_import(tx, import_.id, now, state=ImportState.DONE, rows_total=counts.total, options=options)


async def check_file(
    importer: Importer, stream: BinaryIO, name: str, purpose: Purpose, *, now: datetime
) -> Report | Unrecognised:
    """Read a file through and say what an import would do (the dry run). Nothing is written."""
    file = FileToRead(stream, name, purpose.format, purpose.folder_use, now)
    try:
        async with importer.readers.start(stream) as reader:
            return await _read_through(importer, reader, Report(await reader.open(file)), purpose)
    except FileUnreadable as error:
        return Unrecognised(str(error))


async def _read_through(
    importer: Importer, reader: ImportReader, report: Report, purpose: Purpose
) -> Report | Unrecognised:
    seen, most = set[bytes](), importer.settings.limits.max_import_rows
    while rows := await reader.next_rows(CHECKED_AT_ONCE):
        held = await importer.database.read(_find_held, purpose, rows)
        for row in rows:
            _count(report, row, held, seen)
        if report.counts.total > most:
            return Unrecognised(Message("The file has more than %(most)s links.", {"most": f"{most:,}"}))
    if report.counts.total == 0:
        return Unrecognised("There are no links in this file.")
    return report


def _count(report: Report, row: PreparedRow, held: Collection[tuple[str | None, str]], seen: set[bytes]) -> None:
    if not isinstance(row, PreparedLink):
        report.rejected += 1
        _note_problem(report, row)
        return
    report.highlights += len(row.highlights)
    place = (row.library_name, str(row.url))
    digest = _digest(*place)
    # an older copy of a page is kept beside the newer one that came with it
    is_older_copy = row.copy is not None and row.copy.newer_key is not None
    if place in held or (digest in seen and not is_older_copy):
        report.already_there += 1
        return
    seen.add(digest)
    report.imported += 1
    report.with_article += row.body is not None
    if len(report.samples) < SAMPLES:
        report.samples.append(_sample_of(row))


def _digest(library_name: str | None, url: str) -> bytes:
    """Return a digest that stands for a URL in memory: half a million long URLs would take a gigabyte."""
    return blake2b(f"{library_name or ''}\n{url}".encode(), digest_size=16).digest()


def _note_problem(report: Report, row: ImportedRow) -> None:
    """Count a row that was refused, with the values in its reason, so that pages can translate it."""
    reason = row.reason or ""
    if reason in report.problems:
        report.problems[reason]["count"] += 1
    elif len(report.problems) < PROBLEMS:
        told = {"text": row.told.text, "values": row.told.values} if row.told else {}
        report.problems[reason] = {"reason": reason, "count": 1, "example": row.url, **told}


def _sample_of(row: PreparedLink) -> dict[str, Any]:
    return {
        "url": str(row.url),
        "title": row.fields.title,
        "tags": list(row.fields.tags),
        "added_at": row.added_at.isoformat() if row.added_at else None,
        "is_read": row.reading.read_at is not None,
        "library": row.library_name,
    }


def _find_held(tx: Connection, purpose: Purpose, rows: Collection[PreparedRow]) -> set[tuple[str | None, str]]:
    """Return which URLs are already held, each with its library's name; None stands for the library that was chosen."""
    links = [row for row in rows if isinstance(row, PreparedLink)]
    has_names = any(link.library_name for link in links)
    mine = libraries.list_libraries(tx, purpose.user_id) if has_names else []
    named: dict[str, UUID] = {library.name: library.id for library, _ in mine if library.owner_id == purpose.user_id}
    urls = {str(link.url) for link in links}
    library_ids = {purpose.library_id, *named.values()}
    aliases = bulk.find_aliases(tx, urls)
    private = bulk.find_private_pages(tx, library_ids, urls)
    held = bulk.find_items(tx, library_ids, {*aliases.values(), *private.values()})
    found = set()
    for link in links:
        library_id = named.get(link.library_name) if link.library_name else purpose.library_id
        pages = (aliases.get(str(link.url)), private.get((library_id, str(link.url))) if library_id else None)
        if library_id and any((library_id, page) in held for page in pages if page):
            found.add((link.library_name, str(link.url)))
    return found


def write_import_rows(tx: Connection, owner: Import, rows: Sequence[PreparedRow], now: datetime) -> None:
    """Write some rows of an import, with what they come to, in one short transaction."""
    run_at = max(owner.crawl_at or now, now)
    order = BatchOrder(owner.user_id, owner.library_id, now, run_at, Priority.IMPORT, owner.id)
    batch = look_up_batch(tx, order, [row for row in rows if isinstance(row, PreparedLink)])
    outcomes = plan_import_batch(batch, rows)
    write_import_batch(tx, batch)
    imports.insert_rows(tx, owner.id, outcomes)


async def write_outcomes(database: Database, import_id: UUID) -> AsyncIterator[str]:
    """Yield an import's outcome file, a line of CSV for each row. The caller has checked that it is the viewer's."""
    yield _csv_line("row", "outcome", "reason", "url", "item_id")
    after = -1
    while rows := await database.read(imports.list_rows, import_id, after=after):
        for row in rows:
            yield _outcome_line(row)
        after = rows[-1].ordinal


def _outcome_line(row: ImportedRow) -> str:
    item_id = str(row.item_id) if row.item_id else ""
    return _csv_line(str(row.ordinal + 1), row.outcome, row.reason or "", row.url or "", item_id)


def _csv_line(*cells: str) -> str:
    target = io.StringIO()
    csv.writer(target).writerow([neutralise(cell) for cell in cells])
    return target.getvalue()
