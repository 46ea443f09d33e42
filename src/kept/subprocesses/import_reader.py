"""Uploaded files for whoever imports them: rows in batches, whatever the file does to the process that reads it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, Self, TypeVar

from kept.config import Settings
from kept.content.import_formats.prepare_rows import PreparedRow
from kept.domain.imported import FolderUse
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.import_codec import parse_rows
from kept.subprocesses.process import ChildProcess, ProcessLost, WorkerProgram

T = TypeVar("T")

TOO_SLOW: Final = "Reading the file took too long."
LOST: Final = "The file could not be read: it takes too much memory, or is damaged."


class FileUnreadable(Exception):
    """The file cannot be read, or no further; the message says why, in words for people."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    stream: BinaryIO
    """A file with a descriptor; nobody else reads it meanwhile."""
    name: str
    format: str | None
    folder_use: FolderUse
    now: datetime
    first: int = 0
    """The row to begin with."""


class ImportReader:
    """One file, read in a process of its own. Each method raises `FileUnreadable`."""

    def __init__(self, process: ChildProcess, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        self._is_over = False

    async def open(self, file: FileToRead) -> str:
        """The name of its format."""
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
        """The next ones, at least one; none at the end."""
        rows: list[PreparedRow] = []
        while not rows and not self._is_over:
            rows, self._is_over = await self._ask({"do": "rows", "most": most}, parse_rows)
        return rows

    async def read_entry(self, name: str, max_bytes: int) -> bytes | None:
        """A file inside the zip; None if it is missing, damaged or larger."""
        return await self._ask({"do": "entry", "name": name, "max_bytes": max_bytes}, parse_entry)

    async def _ask(self, asked: Mapping[str, object], parse: Callable[[Frame], T]) -> T:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._process.ask(Frame(asked), lambda frame: parse(refuse_unreadable(frame)))
        except TimeoutError:
            raise FileUnreadable(TOO_SLOW) from None
        except ProcessLost as error:
            raise FileUnreadable(LOST) from error


@dataclass(frozen=True, slots=True)
class ImportReaders:
    """What reading a file may cost."""

    seconds: float
    """For each answer of the process that reads it."""
    memory_bytes: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.limits.import_read_seconds, settings.limits.import_memory_bytes)

    @asynccontextmanager
    async def start(self, stream: BinaryIO) -> AsyncIterator[ImportReader]:
        """The process ends with the block."""
        descriptor = stream.fileno()
        program = WorkerProgram(
            "kept.subprocesses.import_worker",
            self.memory_bytes,
            (str(descriptor),),
            inherited_descriptors=(descriptor,),
        )
        try:
            process = await program.start()
        except ProcessLost as error:
            raise FileUnreadable(LOST) from error
        try:
            yield ImportReader(process, self.seconds)
        finally:
            await asyncio.shield(process.kill())


def refuse_unreadable(frame: Frame) -> Frame:
    reason = frame.header.get("unreadable")
    if reason is not None:
        raise FileUnreadable(str(reason)[:500])
    return frame


def parse_format(frame: Frame) -> str:
    found = frame.header.get("format")
    if not isinstance(found, str):
        raise FrameError("an answer without a format")
    return found


def parse_entry(frame: Frame) -> bytes | None:
    return frame.body if frame.header.get("found") is True else None
