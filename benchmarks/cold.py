"""A save after a rest: how soon it is answered and its article can be read. `./bench cold`.

    ./bench cold [--rounds N] [--rest SECONDS] [--kept PATH]... [--quick]

`kept serve` with its worker and SQLite; pages of the corpus, 50 ms away. After a minute without work every child
process has ended, and what is then is what is after an hour; the bench waits until server and worker are alone. Beside
the times stands the processor time of all processes from the save on, which says more on a busy machine. With `--kept`
other installations (an older checkout's `.venv/bin/kept`) take turns.
"""

import argparse
import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
import psutil

from benchmarks.ingest import HOSTS, KEPT, Watcher, kept_process, readable_urls
from benchmarks.save import serving_python

COLD_GOAL_MS, WARM_GOAL_MS = 300.0, 80.0
ALONE: Final = 2
MOST_REST_SECONDS: Final = 120.0


@dataclass
class Taken:
    """Milliseconds: until the answer, from there until the article, and of processor time."""

    answer: list[float] = field(default_factory=list)
    readable: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def describe(self) -> str:
        answer, readable, cpu = (statistics.median(one) for one in (self.answer, self.readable, self.cpu))
        return f"answered after {answer:.0f} ms, readable {readable:.0f} ms later, {cpu:.0f} ms of processor time"


def tree(process: psutil.Process) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return [process, *process.children(recursive=True)]
    return []


def cpu_ms(process: psutil.Process) -> float:
    total = 0.0
    for one in tree(process):
        with contextlib.suppress(psutil.Error):
            total += sum(one.cpu_times()[:2]) * 1000
    return total


@dataclass(frozen=True)
class Installation:
    """A running Kept, alone on its folder."""

    folder: Path
    address: str
    token: str
    process: psutil.Process


async def save_and_watch(kept: Installation, url: str, into: Taken) -> None:
    watcher, process = Watcher(kept.folder, "processing_status = 'ready_for_reading'"), kept.process
    watching = asyncio.create_task(watcher.watch())
    before, started = cpu_ms(process), time.perf_counter()
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {kept.token}"}) as session:
        async with session.post(f"{kept.address}/api/v1/items", json={"url": url}) as answer:
            media_id = (await answer.json())["data"]["media_id"]
        answered = time.perf_counter()
    async with asyncio.timeout(60):
        while media_id not in watcher.seen:
            await asyncio.sleep(0.005)
    watching.cancel()
    into.answer.append((answered - started) * 1000)
    into.readable.append(max(0.0, watcher.seen[media_id] - answered) * 1000)
    into.cpu.append(cpu_ms(process) - before)


async def wait_until_alone(process: psutil.Process, rest_seconds: float) -> None:
    deadline = time.monotonic() + MOST_REST_SECONDS
    await asyncio.sleep(rest_seconds)
    while len(tree(process)) > ALONE and time.monotonic() < deadline:
        await asyncio.sleep(1)


async def measure_one(kept: Path, rounds: int, rest_seconds: float, warm: Taken, cold: Taken) -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        serving_python("-m", "support.servers.corpus_origin", str(HOSTS)) as port,
    ):
        folder, urls = Path(name), iter(readable_urls(port, 1000))
        with kept_process(kept, folder, port, KEPT_RENDER="never") as running:
            installation = Installation(folder, *running)
            for _ in range(rounds):
                await wait_until_alone(installation.process, rest_seconds)
                await save_and_watch(installation, next(urls), cold)
                for _ in range(10):
                    await save_and_watch(installation, next(urls), warm)


def measure(installations: list[Path], rounds: int, rest_seconds: float) -> bool:
    taken = {kept: (Taken(), Taken()) for kept in installations}
    for kept, (warm, cold) in taken.items():
        asyncio.run(measure_one(kept, rounds, rest_seconds, warm, cold))
    for kept, (warm, cold) in taken.items():
        print(f"  {kept}")
        print(f"    after a rest:  {cold.describe()} (goal: readable ≤ {COLD_GOAL_MS:.0f})")
        print(f"    while at work: {warm.describe()} (goal: readable ≤ {WARM_GOAL_MS:.0f})")
    warm, cold = taken[KEPT]
    return statistics.median(cold.readable) <= COLD_GOAL_MS and statistics.median(warm.readable) <= WARM_GOAL_MS


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench cold", description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--rest", type=float, default=62.0, help="seconds without work before each round")
    parser.add_argument("--kept", type=Path, action="append", default=[], help="another installation's `kept`")
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    met = measure([KEPT, *options.kept], *((1, 0.0) if options.quick else (options.rounds, options.rest)))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
