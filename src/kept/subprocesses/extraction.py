"""Extraction for the worker: pages become articles or failures, whatever a page does to the process that reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self
from uuid import UUID

from kept.config import Settings
from kept.content.article.article import Article, ExtractFailed, JoinedText, Page
from kept.content.article.readable import COULD_NOT_BE_READ, TOOK_TOO_LONG
from kept.content.article.safe_html import SafeHtml
from kept.domain.failures import FailureCode
from kept.subprocesses.codec import FAILED, checked, encode_fields, parse_as, parse_written
from kept.subprocesses.frames import Frame
from kept.subprocesses.pool import ProcessPool
from kept.subprocesses.process import WORKERS, ProcessLost, WorkerProgram
from kept.subprocesses.sidecar import BUNDLE, explain_missing, find_node

NOT_INSTALLED: Final = "This server can't read pages: a program is missing. `kept doctor` tells which one."
# A path where no program is: a configured Node that is missing is not replaced by another one.
NO_NODE: Final = "/nonexistent/node"
# An ordinary page takes 25 ms, the first one of a process 400 ms, and each process 100 MB with its Node, which only an
# import is worth. A worker that sees the queue says so at once (`expect_backlog`).
PATIENCE_SECONDS: Final = 0.6


@dataclass(frozen=True, slots=True)
class ExtractorLimits:
    """What extraction may cost."""

    processes: int = 2
    seconds: float = 8.0
    memory_bytes: int = 1024 * 1024 * 1024
    idle_seconds: float = 60.0
    patience_seconds: float = PATIENCE_SECONDS


class ExtractorPool:
    """Reads pages in killable child processes. There is one per worker process, used from one event loop."""

    def __init__(self, node: Path | None, limits: ExtractorLimits, bundle: Path = BUNDLE) -> None:
        self._node: Final = node
        self._bundle: Final = bundle
        self._seconds: Final = limits.seconds
        arguments = ("extraction", str(node or NO_NODE), str(bundle))
        program = WorkerProgram(WORKERS, limits.memory_bytes, arguments)
        self._pool: Final = ProcessPool(
            program.start,
            processes=limits.processes,
            idle_seconds=limits.idle_seconds,
            has_reserve=True,
            patience_seconds=limits.patience_seconds,
        )

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        limits = ExtractorLimits(
            processes=settings.extractors,
            seconds=settings.limits.extract_seconds,
            memory_bytes=settings.limits.extract_memory_bytes,
            idle_seconds=settings.limits.extract_idle_seconds,
            # Celery's queue cannot be seen from here, and machines that run Celery have the memory.
            patience_seconds=PATIENCE_SECONDS if settings.executor == "local" else 0.0,
        )
        return cls(find_node(settings.node), limits)

    @property
    def pids(self) -> frozenset[int]:
        """The processes that run now; each leads the process group of itself and its Node."""
        return self._pool.pids

    def warm_up(self) -> None:
        """Start a process if none runs, while the page is being fetched."""
        self._pool.warm_up()

    def expect_backlog(self) -> None:
        """Say that many pages are waiting, so that they are not tried with one process first."""
        self._pool.expect_backlog()

    async def extract(self, page: Page, owner: UUID | None = None) -> Article | ExtractFailed:
        """Read one page. A bad page or a lost process never raises.

        An owner with no page in work does not wait for pages of others: a process is reserved for such owners. Without
        Node there is no article, but the child still returns the page's metadata.
        """
        outcome = await self._ask(page, owner)
        missing = self.find_missing()
        if missing is not None and isinstance(outcome, ExtractFailed) and outcome.code is FailureCode.INGEST_FAILED:
            return replace(outcome, message=NOT_INSTALLED, detail=missing, is_transient=False)
        return outcome

    async def join(self, pages: Sequence[SafeHtml], owner: UUID | None = None) -> JoinedText | None:
        """Join the pages of one article; None if that could not be done."""
        try:
            return await self._pool.ask(encode_pages(pages), parse_joined, seconds=self._seconds, owner=owner)
        except (TimeoutError, ProcessLost):
            return None

    def find_missing(self) -> str | None:
        """Return what this machine lacks to make articles; None if it lacks nothing."""
        return explain_missing(self._node, self._bundle)

    async def _ask(self, page: Page, owner: UUID | None) -> Article | ExtractFailed:
        request = encode_page(page, self._seconds)
        try:
            return await self._pool.ask(request, parse_outcome, seconds=self._seconds, owner=owner)
        except TimeoutError:
            return ExtractFailed(FailureCode.INGEST_TIMEOUT, TOOK_TOO_LONG, is_transient=True)
        except ProcessLost as error:
            detail = f"The extraction process was lost ({error})."
            return ExtractFailed(FailureCode.INGEST_FAILED, COULD_NOT_BE_READ, detail=detail, is_transient=True)

    async def close(self) -> None:
        """End every process, busy or not."""
        await self._pool.close()


def encode_page(page: Page, seconds: float) -> Frame:
    return Frame({"page": encode_fields(page, "body"), "seconds": seconds}, page.body)


def encode_pages(pages: Sequence[SafeHtml]) -> Frame:
    """Return the request to join the pages of one article."""
    written = [str(page).encode() for page in pages]
    return Frame({"join": [len(page) for page in written]}, b"".join(written))


@checked
def parse_outcome(frame: Frame) -> Article | ExtractFailed:
    if FAILED in frame.header:
        failure: ExtractFailed = parse_as(ExtractFailed, frame.header[FAILED])
        return failure
    return parse_written(Article, frame)


@checked
def parse_joined(frame: Frame) -> JoinedText | None:
    return None if FAILED in frame.header else parse_written(JoinedText, frame)
