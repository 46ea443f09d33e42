"""What the embedded default costs when nobody uses it, and its memory at work: `./bench idle`.

    ./bench idle [--seconds N] [--kept PATH]... [--quick]

At rest: `kept serve` with SQLite, memory and processor time. At work: 40 pages of the corpus saved one by one, then 80
eight at once, until their articles are made; no browser. With `--kept` other installations (an older checkout's
`.venv/bin/kept`) take turns at work. Memory is that of Kept's processes as if they were alone on the machine. Who is
not root gets the PSS, which is less where other processes use the same libraries.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
import psutil

from benchmarks.cold import tree
from benchmarks.ingest import HOSTS, KEPT, kept_process, readable_urls, reading
from benchmarks.save import serving_python
from kept.logs import set_up_logging
from support.chaos.fleet import Fleet, Mode, Shape
from support.chaos.using import use_fleet
from support.fixtures.tree_memory import measure_tree_mb

MOST_IDLE_MB, MOST_CPU, MOST_WORKING_MB = 190.0, 0.01, 320.0
ONE_BY_ONE, AT_ONCE, TOGETHER = 40, 80, 8
# Some pages of the corpus have no article.
SHARE_OF_ARTICLES = 0.9
MOST_SECONDS = 120.0


def cpu_seconds(fleet: Fleet) -> float:
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid, _ in fleet.list_processes())


def measure_mb(pids: list[int]) -> dict[int, float]:
    try:
        return measure_tree_mb(pids)
    except PermissionError:
        return {pid: psutil.Process(pid).memory_full_info().pss / 2**20 for pid in pids}


def show_memory(pids: list[int], goal: float) -> bool:
    found = measure_mb(pids)
    for pid, size in found.items():
        print(f"  {size:6.1f} MB  {' '.join(psutil.Process(pid).cmdline())[-90:]}")
    total = sum(found.values())
    print(f"  {total:6.1f} MB in all (goal {goal:.0f})")
    return total <= goal


async def measure_idle(seconds: float, settle_seconds: float) -> bool:
    async with use_fleet(Mode.SQLITE, Shape(workers=0), KEPT_LOG_LEVEL="info") as fleet:
        await asyncio.sleep(settle_seconds)  # what starting needs
        started, before = time.monotonic(), cpu_seconds(fleet.fleet)
        await asyncio.sleep(seconds)
        cpu = (cpu_seconds(fleet.fleet) - before) / (time.monotonic() - started)
        print(f"at rest: CPU {cpu:.2%} of a core (goal {MOST_CPU:.0%})")
        is_small = show_memory([pid for pid, _ in fleet.fleet.list_processes()], MOST_IDLE_MB)
    return is_small and cpu <= MOST_CPU


async def measure_working(kept: Path, one_by_one: int, at_once: int) -> bool:
    with (
        tempfile.TemporaryDirectory() as name,
        serving_python("-m", "support.servers.corpus_origin", str(HOSTS)) as port,
    ):
        folder, urls = Path(name), iter(readable_urls(port, one_by_one + at_once))
        with kept_process(kept, folder, port, KEPT_RENDER="never") as (address, token, process):
            async with aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {token}"}) as session:
                slots = asyncio.Semaphore(TOGETHER)

                async def save() -> None:
                    async with slots, session.post("/api/v1/items", json={"url": next(urls)}) as answer:
                        assert answer.status == 201, await answer.text()

                for _ in range(one_by_one):
                    await save()
                await asyncio.gather(*(save() for _ in range(at_once)))
            await wait_for_articles(folder, SHARE_OF_ARTICLES * (one_by_one + at_once))
            print(f"at work: {kept}")
            return show_memory([each.pid for each in tree(process)], MOST_WORKING_MB)


async def wait_for_articles(folder: Path, wanted: float) -> None:
    with reading(folder) as connection:
        async with asyncio.timeout(MOST_SECONDS):
            while connection.execute("SELECT count(*) FROM fragments").fetchone()[0] < wanted:
                await asyncio.sleep(0.2)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench idle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kept", type=Path, action="append", default=[], help="another installation's `kept`")
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    set_up_logging("warning", "console")
    is_met = asyncio.run(measure_idle(1.0, 0.0) if options.quick else measure_idle(options.seconds, 5.0))
    saves = (2, 2) if options.quick else (ONE_BY_ONE, AT_ONCE)
    working = {kept: asyncio.run(measure_working(kept, *saves)) for kept in (KEPT, *options.kept)}
    return 0 if options.quick or (is_met and working[KEPT]) else 1


if __name__ == "__main__":
    sys.exit(main())
