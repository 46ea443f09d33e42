"""The dry run: read a file through and say what an import would do. Nothing is written."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from kept.config import Settings
from kept.content.import_formats.registry import Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.imported import FolderUse
from kept.domain.importing import Counts
from kept.services.importing.prepare_rows import PreparedLink, PreparedRow, prepare_rows
from kept.services.importing.take_rows import take_rows
from kept.storage import bulk, libraries
from kept.storage.database.engine import Connection, Database

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
            "samples": self.samples,
            "problems": sorted(self.problems.values(), key=lambda problem: -problem["count"]),
        }


async def check_file(
    database: Database, settings: Settings, file: UploadedFile, purpose: Purpose, *, now: datetime
) -> Report | Unrecognised:
    reader = await asyncio.to_thread(find_reader, file, purpose.format)
    if isinstance(reader, Unrecognised):
        return reader
    rows = prepare_rows(reader.read(file), first=0, folder_use=purpose.folder_use, now=now)
    return await _read_through(database, settings, Report(reader.name), rows, purpose)


async def _read_through(
    database: Database, settings: Settings, report: Report, rows: Iterable[PreparedRow], purpose: Purpose
) -> Report | Unrecognised:
    seen = set[tuple[str | None, str]]()
    while some := await asyncio.to_thread(take_rows, rows, ROWS_AT_ONCE):
        held = await database.read(_find_held, purpose, some)
        for row in some:
            _count(report, row, held, seen)
        if report.counts.total > settings.max_import_rows:
            return Unrecognised(f"The file has more than {settings.max_import_rows:,} links.")
    if report.counts.total == 0:
        return Unrecognised("There are no links in this file.")
    return report


def _count(
    report: Report, row: PreparedRow, held: Collection[tuple[str | None, str]], seen: set[tuple[str | None, str]]
) -> None:
    if not isinstance(row, PreparedLink):
        report.rejected += 1
        _note_problem(report, row.reason or "", row.url)
        return
    place = (row.library_name, str(row.url))
    # an older copy of a page stands beside the newer one that came with it
    is_older_copy = row.copy is not None and row.copy.newer_key is not None
    if place in held or (place in seen and not is_older_copy):
        report.already_there += 1
        return
    seen.add(place)
    report.imported += 1
    report.with_article += row.body is not None
    if len(report.samples) < SAMPLES:
        report.samples.append(_sample_of(row))


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
