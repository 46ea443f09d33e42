"""Rows of uploaded files, in batches, whatever the file does to its process. Each is JSON, followed by its page."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, Self, TypeVar

from kept.config import Settings
from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.domain.imported import FolderUse, ImportedCopy
from kept.domain.importing import ImportedRow
from kept.subprocesses.codec import parse_as, parse_bytes, parse_fields
from kept.subprocesses.file_reader import FileProgram, FileReader, Unreadable
from kept.subprocesses.frames import Frame, Header
from kept.urls.url import get_url

T = TypeVar("T")

TOO_SLOW: Final = Unreadable("Reading the file took too long.")
LOST: Final = Unreadable("The file could not be read: it takes too much memory, or is damaged.")
LONGEST_REASON: Final = 500


class FileUnreadable(Exception):
    """The file cannot be read, or no further; the message says why, in words for people."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    stream: BinaryIO
    """A file with a descriptor, which nobody else reads meanwhile."""
    name: str
    format: str | None
    folder_use: FolderUse
    now: datetime
    first: int = 0
    """The row to begin with."""


class ImportReader:
    """Reads one file in a process of its own. Each method may raise `FileUnreadable`."""

    def __init__(self, file: FileReader[Unreadable]) -> None:
        self._file = file
        self._is_over = False

    async def open(self, file: FileToRead) -> str:
        """Open the file and return the name of its format."""
        asked = {
            "do": "open",
            "name": file.name,
            "format": file.format,
            "folder_use": file.folder_use,
            "now": file.now.isoformat(),
            "first": file.first,
        }
        return await self._ask(asked, parse_format)

    async def next_rows(self, most: int) -> list[PreparedRow]:
        """Return the next rows, at least one; none at the end."""
        rows: list[PreparedRow] = []
        while not rows and not self._is_over:
            rows, self._is_over = await self._ask({"do": "rows", "most": most}, parse_rows)
        return rows

    async def read_entry(self, name: str, max_bytes: int) -> bytes | None:
        """Return a file inside the zip; None if it is missing, damaged or larger than allowed."""
        return await self._ask({"do": "entry", "name": name, "max_bytes": max_bytes}, parse_bytes)

    async def _ask(self, asked: Mapping[str, object], parse: Callable[[Frame], T]) -> T:
        outcome = await self._file.ask(asked, parse)
        if isinstance(outcome, Unreadable):
            raise FileUnreadable(outcome.reason[:LONGEST_REASON])
        return outcome


@dataclass(frozen=True, slots=True)
class ImportReaders:
    """What reading a file may cost."""

    seconds: float
    """Time for each answer of the process that reads it."""
    memory_bytes: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.limits.import_read_seconds, settings.limits.import_memory_bytes)

    @asynccontextmanager
    async def start(self, stream: BinaryIO) -> AsyncIterator[ImportReader]:
        """Start a process for a file that has a descriptor. The process ends with the block."""
        async with FileProgram("imports", self.memory_bytes, self.seconds, TOO_SLOW, LOST).start(stream) as file:
            yield ImportReader(file)


def parse_format(frame: Frame) -> str:
    name: str = parse_as(str, frame.header["format"])
    return name


def parse_rows(frame: Frame) -> tuple[list[PreparedRow], bool]:
    """Return the rows, and whether they are the last."""
    rows: list[PreparedRow] = []
    at = 0
    for row_bytes, page_bytes in frame.header["sizes"]:
        row_end = at + row_bytes
        at = row_end + page_bytes
        rows.append(parse_row(json.loads(frame.body[row_end - row_bytes : row_end]), frame.body[row_end:at]))
    return rows, frame.header["is_over"] is True


def parse_row(said: Header, page: bytes) -> PreparedRow:
    if "outcome" in said:
        return parse_fields(ImportedRow, said)
    copy = said["copy"] and parse_copy(said["copy"])
    return parse_fields(PreparedLink, said, url=get_url(said["url"]), body=page or None, copy=copy, images=None)


def parse_copy(said: Header) -> ImportedCopy:
    page = {**parse_as(dict[str, str | None], said["texts"]), **parse_as(dict[str, datetime], said["moments"])}
    return parse_fields(ImportedCopy, said, html="", page=page)
