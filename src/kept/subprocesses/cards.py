"""Cards for the API, read from a page's first megabyte, whatever the page does to the process that reads it."""

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
# An ordinary card takes 5 ms; a process takes 17 MB and 150 ms to start, so it is better to wait for a few cards.
PATIENCE_SECONDS: Final = 0.1
# This much of the header that names a page's encoding is used; real ones are far shorter.
LONGEST_CONTENT_TYPE: Final = 1000


class CardPool:
    """Reads pages in killable child processes. There is one per process, used from one event loop."""

    def __init__(self, *, parsed_bytes: int, seconds: float) -> None:
        program = WorkerProgram(WORKERS, MEMORY_BYTES, ("cards",))
        self._pool: Final = ProcessPool(
            program.start, processes=PROCESSES, idle_seconds=IDLE_SECONDS, patience_seconds=PATIENCE_SECONDS
        )
        self._parsed_bytes: Final = parsed_bytes
        self._seconds: Final = seconds

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        # The same time as the fetch: a card takes milliseconds, but on a slow machine the process has to start too.
        return cls(parsed_bytes=settings.limits.save_parse_bytes, seconds=settings.limits.save_fetch_seconds)

    @property
    def pids(self) -> frozenset[int]:
        return self._pool.pids

    def warm_up(self) -> None:
        """Start a process if none runs, while the page is being fetched."""
        self._pool.warm_up()

    async def read(self, body: bytes, *, content_type: str | None, url: str) -> PageCard | None:
        """Return the card of the page at `url` (its final URL); None if it could not be read in time."""
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
    """Return the card that the worker program answered; None if it could not read the page."""
    return cast("PageCard | None", parse_as(PageCard | None, frame.header["card"]))
