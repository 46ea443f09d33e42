"""A file that somebody sends, read by a program in a process of its own, whatever the file does to that process.

Documents, saved pages and imports are read in this way: the process inherits its file open, and keeps its place in it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, Generic, TypeVar

from kept.subprocesses.codec import FAILED, checked, parse_as
from kept.subprocesses.frames import Frame
from kept.subprocesses.process import WORKERS, ChildProcess, ProcessLost, WorkerProgram

T = TypeVar("T")
Failure = TypeVar("Failure")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read, or no further; the reason is for people."""

    reason: str
    is_too_large: bool = False


@dataclass(frozen=True, slots=True)
class FileProgram(Generic[Failure]):
    """A program of `workers.py`, its limits, and the failures that it returns."""

    name: str
    memory_bytes: int
    seconds: float
    """Time for each answer."""
    too_slow: Failure
    lost: Failure

    @asynccontextmanager
    async def start(self, *files: BinaryIO) -> AsyncIterator["FileReader[Failure]"]:
        """Start a process for files with descriptors. It ends with the block; if none starts, answers are `lost`."""
        reader = FileReader(self, await self._start_process(tuple(file.fileno() for file in files)))
        try:
            yield reader
        finally:
            await reader.end()

    async def _start_process(self, descriptors: tuple[int, ...]) -> ChildProcess | None:
        arguments = (self.name, *map(str, descriptors))
        program = WorkerProgram(WORKERS, self.memory_bytes, arguments, inherited_descriptors=descriptors)
        try:
            return await program.start()
        except ProcessLost:
            return None


class FileReader(Generic[Failure]):
    """A process that reads a file. A bad file never raises; once the process is lost, every answer is `lost`."""

    def __init__(self, program: FileProgram[Failure], process: ChildProcess | None) -> None:
        self._program, self._process = program, process
        self.has_crashed = False
        """Whether the process ended by a fault of its own, which would happen again."""

    @property
    def pid(self) -> int | None:
        """The id of the process; None once it was lost."""
        return self._process.pid if self._process else None

    async def ask(
        self, asked: Mapping[str, object], parse: Callable[[Frame], T], *, seconds: float | None = None
    ) -> T | Failure:
        """Return the parsed answer, or the failure. `seconds` may give it less time than other answers have."""
        if self._process is None:
            return self._program.lost
        try:
            async with asyncio.timeout(self._program.seconds if seconds is None else seconds):
                return await self._process.ask(Frame(asked), lambda frame: self._parse(frame, parse))
        except TimeoutError:
            await self.end()
            return self._program.too_slow
        except ProcessLost:
            await self.end()
            return self._program.lost

    async def end(self) -> None:
        """Kill the process, whose late answer would be taken for the answer to the next question."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.shield(process.kill())
            self.has_crashed = process.crashed

    def _parse(self, frame: Frame, parse: Callable[[Frame], T]) -> T | Failure:
        if FAILED in frame.header:
            return checked(self._parse_failure)(frame)
        return checked(parse)(frame)

    def _parse_failure(self, frame: Frame) -> Failure:
        failure: Failure = parse_as(type(self._program.lost), frame.header[FAILED])
        return failure
