"""An import: a file somebody brought, how far Kept has come with it, and what became of each of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from kept.domain.errors import Conflict
from kept.domain.imported import FolderUse
from kept.domain.message import Message


class ImportState(StrEnum):
    CHECKING = "checking"
    """The file is being checked; nothing of it is written."""
    CHECKED = "checked"
    """The report is ready, and a person decides whether to continue."""
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class RowOutcome(StrEnum):
    IMPORTED = "imported"
    ALREADY_THERE = "already_there"
    REJECTED = "rejected"


UNFINISHED: Final = frozenset({ImportState.CHECKING, ImportState.CHECKED, ImportState.RUNNING})
AT_WORK: Final = frozenset({ImportState.CHECKING, ImportState.RUNNING})


@dataclass(frozen=True, slots=True)
class Counts:
    """The outcomes of an import's rows; every row is counted in exactly one of the three."""

    imported: int = 0
    already_there: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        return self.imported + self.already_there + self.rejected


@dataclass(frozen=True, slots=True)
class Import:
    id: UUID
    user_id: UUID
    library_id: UUID
    format: str
    """The format; empty until the file was checked, unless somebody said what it is."""
    file_name: str
    blob_key: str
    state: ImportState
    rows_total: int | None
    options: Mapping[str, Any]
    report: Mapping[str, Any] | None
    problem: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def folder_use(self) -> FolderUse:
        return FolderUse(self.options.get("folders", FolderUse.TAGS))

    @property
    def crawl_at(self) -> datetime | None:
        """When the first of its pages may be fetched: about when all of them are listed."""
        moment = self.options.get("crawl_at")
        return datetime.fromisoformat(moment) if moment else None

    @property
    def final_counts(self) -> Counts | None:
        """The counts once it is done, stored because counting half a million rows takes a while."""
        counts = self.options.get("counts")
        return Counts(**counts) if counts else None

    @property
    def told_problem(self) -> str | Message | None:
        """Why it failed, with the values in the message by name where there are any."""
        told = self.options.get("problem")
        return Message(told["text"], told["values"]) if told else self.problem

    @property
    def file_bytes(self) -> int:
        return int(self.options["bytes"])

    @property
    def starts_by_itself(self) -> bool:
        return bool(self.options.get("start"))


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The outcome of one row of the file."""

    ordinal: int
    url: str | None
    outcome: RowOutcome
    reason: str | None = None
    item_id: UUID | None = None
    told: Message | None = None
    """The reason as a message, where it has values in it; it is not stored with the row."""


# The time of a row on a machine of two cores, with a person saving meanwhile. A crawl would double it.
ROW_SECONDS: Final = 0.0012


def plan_crawl(rows: int, *, now: datetime) -> str:
    return (now + timedelta(seconds=rows * ROW_SECONDS)).isoformat()


@dataclass(frozen=True, slots=True)
class WaitingLimits:
    """The limits on files of one user that wait to be imported: their number and their bytes together."""

    files: int
    bytes: int


def plan_room(waiting: Sequence[Import], new_bytes: int, limits: WaitingLimits) -> list[Import]:
    """Return the failed imports, the oldest first, whose files are deleted for a new one: no more than needed.

    Conflict is raised where that would not make room. A file that waits alone always has room.
    """
    staying = [found for found in waiting if found.state is not ImportState.FAILED]
    if len(staying) >= limits.files:
        raise Conflict(
            "%(files)s files of yours wait to be imported. Import or cancel one of them first.", files=limits.files
        )
    if staying and _add_up(staying) + new_bytes > limits.bytes:
        raise Conflict(
            "Files of yours that wait to be imported may have %(megabytes)s MB together. "
            "Import or cancel one of them first.",
            megabytes=f"{limits.bytes / 2**20:,.0f}",
        )
    going, left = [], list(waiting)
    for failed in (found for found in waiting if found.state is ImportState.FAILED):
        if len(left) < limits.files and _add_up(left) + new_bytes <= limits.bytes:
            break
        going.append(failed)
        left.remove(failed)
    return going


def _add_up(files: Sequence[Import]) -> int:
    return sum(found.file_bytes for found in files)


def require_state(import_: Import, *allowed: ImportState) -> None:
    if import_.state not in allowed:
        raise Conflict("This import is %(state)s.", state=import_.state)
