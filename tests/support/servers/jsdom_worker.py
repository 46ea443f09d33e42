"""`python -m support.servers.jsdom_worker`: Kept's own worker, but a Node with jsdom is started for each page.

What `./bench ingest` measures Kept against: the way the specification that Kept's pipeline comes from describes it.
"""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Final
from uuid import UUID

from kept.config import Settings, load_settings
from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.article.readable import Finish, NotReadable, Readable, ReadableCode
from kept.content.article.reading import read_page
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from kept.subprocesses.sidecar import find_node
from kept.wiring.worker import open_handlers
from kept.worker.main import choose_slots, run_worker

JSDOM: Final = Path(__file__).parents[3] / "benchmarks" / "jsdom"
SECONDS: Final = 30.0


def install_jsdom() -> None:
    if not (JSDOM / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts"], cwd=JSDOM, check=True)


class OneShotReader:
    def __init__(self, node: Path, url: str) -> None:
        self.command = [str(node), str(JSDOM / "oneshot.mjs"), url]

    def start(self, html: str, timeout_seconds: float) -> Finish:
        return lambda: self.read(html)

    def read(self, html: str) -> Readable | NotReadable:
        done = subprocess.run(self.command, input=html.encode(errors="replace"), capture_output=True, timeout=SECONDS)
        if done.returncode != 0:
            return NotReadable(ReadableCode.NOT_READABLE, done.stderr.decode(errors="replace")[-200:])
        article = json.loads(done.stdout)
        if not article.get("content"):
            return NotReadable(ReadableCode.NOT_READABLE, "Readability found no article")
        return Readable(article["content"], article.get("title"), article.get("byline"))


class OneShotPool(ExtractorPool):
    places: asyncio.Semaphore

    @classmethod
    def from_settings(cls, settings: Settings) -> "OneShotPool":
        pool = cls(find_node(settings.node), ExtractorLimits())
        pool.places = asyncio.Semaphore(settings.extractors)  # as many at once as Kept's own
        return pool

    async def extract(self, page: Page, owner: UUID | None = None) -> Article | ExtractFailed:
        assert self._node is not None
        async with self.places:
            return await asyncio.to_thread(read_page, page, OneShotReader(self._node, page.final_url), SECONDS)


if __name__ == "__main__":
    import kept.wiring.worker

    kept.wiring.worker.ExtractorPool = OneShotPool  # type: ignore[attr-defined]
    settings = load_settings()
    run_worker(settings, choose_slots(settings), open_handlers)
