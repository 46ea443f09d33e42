"""Extraction for the worker: pages in, articles or failures out, whatever a page does to its reader.

Each request has a child of its own for as long as it lasts. A child that takes too long or dies is killed
with its Node and replaced; children start when first needed, end when idle, and retire when a page has left
them fat.
"""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kept.children.codec import encode_page, parse_outcome
from kept.children.frames import LENGTHS, Frame, FrameError, encode_frame, parse_frame, parse_lengths
from kept.children.node import BUNDLE, find_node
from kept.children.process import Child, start_child
from kept.config import Settings
from kept.content.article import Article, ExtractFailed, Page
from kept.domain.failures import FailureCode

STOP_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class ExtractorLimits:
    """What extraction may cost."""

    processes: int = 2
    seconds: float = 8.0
    memory_bytes: int = 1024 * 1024 * 1024
    idle_seconds: float = 60.0


class ExtractorPool:
    """Reads pages in killable children. One per worker process; used from one event loop."""

    def __init__(self, node: Path | None, limits: ExtractorLimits, bundle: Path = BUNDLE) -> None:
        self._node: Final = node
        self._limits: Final = limits
        self._bundle: Final = bundle
        self._places: Final = asyncio.Semaphore(limits.processes)
        self._children: Final[set[Child]] = set()
        self._idle: Final[list[Child]] = []
        self._reaper: asyncio.TimerHandle | None = None
        self._reaping: asyncio.Task[None] | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        limits = ExtractorLimits(
            processes=settings.extractors,
            seconds=settings.extract_seconds,
            memory_bytes=settings.extract_memory_bytes,
            idle_seconds=settings.extract_idle_seconds,
        )
        return cls(find_node(settings.node), limits)

    @property
    def pids(self) -> frozenset[int]:
        """The children that run now; each leads the process group of everything it started."""
        return frozenset(child.pid for child in self._children)

    async def extract(self, page: Page) -> Article | ExtractFailed:
        """Read one page. Never raises for what a page or a child does."""
        if self._node is None:
            return ExtractFailed(FailureCode.INGEST_FAILED, "Node.js was not found; set KEPT_NODE.")
        if not self._bundle.is_file():
            return ExtractFailed(FailureCode.INGEST_FAILED, "The Readability bundle was not built; run ./test once.")
        async with self._places:
            return await self._extract_in(await self._take(self._node), page)

    async def close(self) -> None:
        """End every child, busy or not."""
        self._cancel_reaper()
        self._idle.clear()
        await asyncio.gather(*(self._end(child) for child in list(self._children)))

    async def _extract_in(self, child: Child, page: Page) -> Article | ExtractFailed:
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await exchange(child, encode_page(page, self._limits.seconds))
            outcome = parse_outcome(answer)
        except TimeoutError:
            await self._end(child)
            return ExtractFailed(FailureCode.INGEST_TIMEOUT, "Reading the page took too long.")
        except (OSError, EOFError, FrameError) as error:
            await self._end(child)
            return ExtractFailed(FailureCode.INGEST_FAILED, f"The extraction process was lost ({error}).")
        except BaseException:  # cancelled: the child is in the middle of a page nobody wants any more
            await self._end(child)
            raise
        if answer.header.get("retire"):
            await self._end(child)
        else:
            self._rest(child)
        return outcome

    async def _take(self, node: Path) -> Child:
        self._cancel_reaper()
        while self._idle:
            child = self._idle.pop()
            if child.is_running:
                return child
            await self._end(child)
        child = await start_child(extractor_command(node, self._bundle, self._limits))
        self._children.add(child)
        return child

    def _rest(self, child: Child) -> None:
        self._idle.append(child)
        self._cancel_reaper()
        loop = asyncio.get_running_loop()
        self._reaper = loop.call_later(self._limits.idle_seconds, self._reap_idle)

    def _reap_idle(self) -> None:
        idle, self._idle[:] = list(self._idle), []
        self._reaping = asyncio.create_task(self._end_all(idle))

    async def _end_all(self, children: list[Child]) -> None:
        for child in children:
            await self._end(child)

    async def _end(self, child: Child) -> None:
        self._children.discard(child)
        await asyncio.shield(child.kill())

    def _cancel_reaper(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
            self._reaper = None


def extractor_command(node: Path, bundle: Path, limits: ExtractorLimits) -> tuple[str, ...]:
    # -P: the current folder is no place to import from.
    return (
        *(sys.executable, "-P", "-m", "kept.children.extractor"),
        *("--node", str(node), "--bundle", str(bundle), "--memory", str(limits.memory_bytes)),
    )


async def exchange(child: Child, request: Frame) -> Frame:
    child.stdin.write(encode_frame(request))
    await child.stdin.drain()
    header_length, body_length = parse_lengths(await child.stdout.readexactly(LENGTHS.size))
    header = await child.stdout.readexactly(header_length)
    return parse_frame(header, await child.stdout.readexactly(body_length))
