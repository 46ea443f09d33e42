"""A PDF of 200 pages and 20 MB: how soon it can be read after it was saved, what memory it takes, and many of them.

./bench documents [--documents N] [--quick]

Server and worker are this process, the site is one on loopback that serves from disk. Memory is that of this process
and its children together, looked at every 20 ms. "CPU" counts the same processes.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil
from aiohttp import web

from kept.config import Limits, Settings
from kept.domain.job import Queue
from kept.logs import set_up_logging
from kept.subprocesses.extraction import ExtractorPool
from support.builders.pdf_files import book_pdf
from support.fixtures.databases import make_sqlite_template
from support.servers.origin import Origin, run_origin
from support.servers.serving import Person, run_kept, settings_reaching
from support.servers.working import Worker, run_worker

MIB: Final = 1024 * 1024
PAGES: Final = 200
IMAGE_BYTES: Final = 80 * 1024
GOAL_SECONDS: Final = 3.0
GOAL_GROWTH_MIB: Final = 300
# What the last tenth may have more than the first.
GOAL_CREEP_MIB: Final = 30


@dataclass
class Memory:
    """What this process and its children have, watched from a thread."""

    peak: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watched(self) -> Iterator["Memory"]:
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            yield self
        finally:
            self.is_over.set()
            watcher.join()

    def _watch(self) -> None:
        while not self.is_over.wait(0.02):
            self.peak = max(self.peak, read_memory())


def read_memory() -> int:
    own = psutil.Process()
    total = 0
    for process in (own, *own.children(recursive=True)):
        try:
            total += process.memory_info().rss
        except psutil.Error:  # it ended meanwhile
            continue
    return total


def read_cpu() -> float:
    used = psutil.Process().cpu_times()
    return used.user + used.system + used.children_user + used.children_system


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu_seconds: float
    growth: int
    after: int


async def measure(ann: Person, worker: Worker, url: str) -> Measured:
    before, cpu, began = read_memory(), read_cpu(), time.perf_counter()
    with Memory().watched() as memory:
        item = await ann.save(url)
        await worker.work_off(Queue.INGEST)
    seconds = time.perf_counter() - began
    answer = (await ann.get(f"/api/v1/items/{item['id']}")).data
    assert answer["processing_status"] == "ready_for_reading", answer["failure_message"]
    return Measured(seconds, read_cpu() - cpu, memory.peak - before, read_memory())


async def main(documents: int, pages: int) -> int:
    set_up_logging("warning", "console")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "book.pdf"
        file.write_bytes(book_pdf(pages, title="A Book of Rivers", image_bytes=IMAGE_BYTES))
        print(f"A PDF of {pages} pages and {file.stat().st_size / MIB:.1f} MiB, {documents} times")
        async with run_origin() as origin:
            urls = [serve(origin, f"/{number}.pdf", file) for number in range(documents + 1)]
            measured = await measure_all(origin, folder, urls)
    return report(measured)


def serve(origin: Origin, path: str, file: Path) -> str:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.FileResponse(file, headers={"Content-Type": "application/pdf"})

    return origin.on(path, answer)


async def measure_all(origin: Origin, folder: Path, urls: list[str]) -> list[Measured]:
    database = make_sqlite_template(folder)
    # patient: on a busy machine a document is late, which is told, and not given up
    chosen: dict[str, Any] = {"save_rate": "100000/minute", "host_gap_seconds": 0}
    patient = Limits(document_read_seconds=60.0)
    settings = settings_reaching(origin, f"sqlite:///{database}", folder, **chosen, limits=patient)
    pool = ExtractorPool.from_settings(Settings())
    try:
        async with run_kept(settings) as running, run_worker(running, pool) as worker:
            ann = await running.make_person("ann")
            plain = worker.without_browser()
            await measure(ann, plain, urls[0])  # what is imported and opened once
            return [await measure(ann, plain, url) for url in urls[1:]]
    finally:
        await pool.close()


def report(measured: list[Measured]) -> int:
    times = [one.seconds for one in measured]
    cpu = statistics.median(one.cpu_seconds for one in measured)
    growth = max(one.growth for one in measured) / MIB
    tenth = max(1, len(measured) // 10)
    first, last = (statistics.median(one.after for one in part) for part in (measured[:tenth], measured[-tenth:]))
    creep = (last - first) / MIB
    median = statistics.median(times)
    print(f"readable after: median {median:.2f} s, most {max(times):.2f} s; CPU {cpu:.2f} s each")
    print(
        f"memory: at most {growth:.0f} MiB more while one is read; {creep:+.0f} MiB from the first to the last of them"
    )
    missed = [
        f"readable within {GOAL_SECONDS:.0f} s" if median > GOAL_SECONDS else "",
        f"at most {GOAL_GROWTH_MIB} MiB more" if growth > GOAL_GROWTH_MIB else "",
        f"at most {GOAL_CREEP_MIB} MiB more in the end" if creep > GOAL_CREEP_MIB else "",
    ]
    for goal in filter(None, missed):
        print(f"missed: {goal}")
    return int(any(missed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    sys.exit(asyncio.run(main(2, 20) if options.quick else main(options.documents, PAGES)))
