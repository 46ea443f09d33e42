"""Extraction for the worker: pages in, articles or failures out, whatever a page does to its reader.

Each request has a child of its own for as long as it lasts. A child that takes too long or dies is killed
with its Node and replaced; children start when first needed, end when idle, and retire when a page has left
them fat.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kept.config import Settings
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.domain.failures import FailureCode
from kept.subprocesses.codec import encode_page, parse_outcome
from kept.subprocesses.crew import ChildLost, Crew
from kept.subprocesses.node import BUNDLE, find_node


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
        command = extractor_command(node or Path("node"), bundle, limits)
        self._crew: Final = Crew(command, processes=limits.processes, idle_seconds=limits.idle_seconds)

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
        return self._crew.pids

    async def extract(self, page: Page) -> Article | ExtractFailed:
        """Read one page. Never raises for what a page or a child does."""
        if self._node is None:
            return ExtractFailed(FailureCode.INGEST_FAILED, "Node.js was not found; set KEPT_NODE.")
        if not self._bundle.is_file():
            return ExtractFailed(FailureCode.INGEST_FAILED, "The Readability bundle was not built; run ./test once.")
        seconds = self._limits.seconds
        try:
            return await self._crew.ask(encode_page(page, seconds), parse_outcome, seconds=seconds)
        except TimeoutError:
            return ExtractFailed(FailureCode.INGEST_TIMEOUT, "Reading the page took too long.")
        except ChildLost as error:
            return ExtractFailed(FailureCode.INGEST_FAILED, f"The extraction process was lost ({error}).")

    async def close(self) -> None:
        """End every child, busy or not."""
        await self._crew.close()


def extractor_command(node: Path, bundle: Path, limits: ExtractorLimits) -> tuple[str, ...]:
    # -P: the current folder is no place to import from.
    return (
        *(sys.executable, "-P", "-m", "kept.subprocesses.extractor"),
        *("--node", str(node), "--bundle", str(bundle), "--memory", str(limits.memory_bytes)),
    )
