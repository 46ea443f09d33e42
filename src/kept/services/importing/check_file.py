"""The dry run: read a file through and say what an import would do. Nothing is written."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, BinaryIO, Final
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.content.import_formats.registry import Unrecognised
from kept.domain.imported import FolderUse
from kept.domain.importing import Counts
from kept.services.importing.importer import Importer
from kept.storage import bulk, libraries
from kept.storage.database.engine import Connection
from kept.subprocesses.import_reader import FileToRead, FileUnreadable, ImportReader

ROWS_AT_ONCE: Final = 500
SAMPLES: Final = 10
PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class Purpose:
    """Whose import it is to be, and how."""

    user_id: UUID
    library_id: UUID
    folder_use: FolderUse
    format: str | None


@dataclass(slots=True)
class Report:
    """What an import would do."""

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


async def check_file(
    importer: Importer, stream: BinaryIO, name: str, purpose: Purpose, *, now: datetime
) -> Report | Unrecognised:
    file = FileToRead(stream, name, purpose.format, purpose.folder_use, now)
    try:
        async with importer.readers.start(stream) as reader:
            return await _read_through(importer, reader, Report(await reader.open(file)), purpose)
    except FileUnreadable as error:
        return Unrecognised(str(error))


async def _read_through(
    importer: Importer, reader: ImportReader, report: Report, purpose: Purpose
) -> Report | Unrecognised:
    seen, most = set[bytes](), importer.settings.max_import_rows
    while rows := await reader.next_rows(ROWS_AT_ONCE):
        held = await importer.database.read(_find_held, purpose, rows)
        for row in rows:
            _count(report, row, held, seen)
        if report.counts.total > most:
            return Unrecognised(f"The file has more than {most:,} links.")
    if report.counts.total == 0:
        return Unrecognised("There are no links in this file.")
    return report


def _count(report: Report, row: PreparedRow, held: Collection[tuple[str | None, str]], seen: set[bytes]) -> None:
    if not isinstance(row, PreparedLink):
        report.rejected += 1
        _note_problem(report, row.reason or "", row.url)
        return
    report.highlights += len(row.highlights)
    place = (row.library_name, str(row.url))
    digest = _digest(*place)
    # an older copy of a page stands beside the newer one that came with it
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
    """Instead of the URL: half a million long ones would take a gigabyte."""
    return blake2b(f"{library_name or ''}\n{url}".encode(), digest_size=16).digest()


def _note_problem(report: Report, reason: str, example: str | None) -> None:
    if reason in report.problems:
        report.problems[reason]["count"] += 1
    elif len(report.problems) < PROBLEMS:
        report.problems[reason] = {"reason": reason, "count": 1, "example": example}


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
    """Which of them their library has: by the name of that library, None for the one chosen."""
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
