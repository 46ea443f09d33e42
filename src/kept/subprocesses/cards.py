"""Cards for the API: a page's first megabyte in, its card out, whatever the page does to the process that reads it."""

from typing import Final, Self, cast

from kept.config import Settings
from kept.content.page.description import PageCard
from kept.subprocesses.codec import checked, parse_as
from kept.subprocesses.frames import Frame
from kept.subprocesses.pool import ProcessPool
from kept.subprocesses.process import WORKERS, ProcessLost, WorkerProgram

PROCESSES: Final = 2
MEMORY_BYTES: Final = 512 * 1024 * 1024
IDLE_SECONDS: Final = 60.0
# An ordinary card takes 5 ms, and a process 17 MB and 150 ms to start: a few cards are waited for.
PATIENCE_SECONDS: Final = 0.1
# The beginning of a header that says what encoding a page is in; browsers' own are shorter by far.
LONGEST_CONTENT_TYPE: Final = 1000


class CardPool:
    """Reads pages in killable child processes. One per process; used from one event loop."""

    def __init__(self, *, parsed_bytes: int, seconds: float) -> None:
        program = WorkerProgram(WORKERS, MEMORY_BYTES, ("cards",))
        self._pool: Final = ProcessPool(
            program.start, processes=PROCESSES, idle_seconds=IDLE_SECONDS, patience_seconds=PATIENCE_SECONDS
        )
        self._parsed_bytes: Final = parsed_bytes
        self._seconds: Final = seconds

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        # As long as the fetch: an ordinary card takes milliseconds, but on a slow machine the process has to start too.
        return cls(parsed_bytes=settings.limits.save_parse_bytes, seconds=settings.limits.save_fetch_seconds)

    @property
    def pids(self) -> frozenset[int]:
        return self._pool.pids

    def warm_up(self) -> None:
        """Start a process if none runs: while a page is fetched there is time for it."""
        self._pool.warm_up()

    async def read(self, body: bytes, *, content_type: str | None, url: str) -> PageCard | None:
        """The card of the page at `url` (its final URL); None where it could not be read, or not in time."""
        header = {"content_type": content_type and content_type[:LONGEST_CONTENT_TYPE], "url": url}
        try:
            return await self._pool.ask(Frame(header, body[: self._parsed_bytes]), parse_answer, seconds=self._seconds)
        except (TimeoutError, ProcessLost):
            return None

    async def close(self) -> None:
        """End every process, busy or not."""
        await self._pool.close()


@checked
def parse_answer(frame: Frame) -> PageCard | None:
    """What the worker program answered; None where it could not read the page."""
    return cast("PageCard | None", parse_as(PageCard | None, frame.header["card"]))
