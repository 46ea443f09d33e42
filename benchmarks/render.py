"""What a browser costs: time to the first screenshot and to the next ones, memory of one slot.

    ./bench render [--rounds N] [--quick]

A page of 60 kB with five pictures and a script is rendered from loopback, HTML and screenshot, through the proxy. The
settling time (half a second without traffic, at least) is part of every figure. Memory is PSS, process by process.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Final

import psutil

from kept.config import parse_allowed_target
from kept.fetch.browser.chromium import find_chromium
from kept.fetch.browser.pool import BrowserPool, PoolOptions
from kept.fetch.browser.rendered import Rendered
from kept.fetch.policy import EgressPolicy
from kept.subprocesses.tree import find_descendants
from kept.urls.url import get_url
from support.servers.sites import FakeDns, page, pages, run_site

PICTURE: Final = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'><circle cx='50' cy='50' r='40'/></svg>"
)
TEXT: Final = b"<p>It was a bright cold day in April, and the clocks were striking.</p>" * 800
PAGE: Final = b"<title>Bench</title><script src=/s></script>" + b"<img src=/p>" * 5 + TEXT


async def main(rounds: int, warm_visits: int) -> None:
    answers = {
        "/": page(PAGE),
        "/p": page(PICTURE, Content_Type="image/svg+xml"),
        "/s": page(b"document.title += '!'", Content_Type="text/javascript"),
    }
    async with run_site(pages(answers)) as site:
        policy = EgressPolicy(ports={80}, allow=[parse_allowed_target(site.allowed)])
        cold, warm = [], []
        for _ in range(rounds):
            options = PoolOptions(find_chromium(), "Kept/bench", sandbox=os.getuid() != 0)
            pool = BrowserPool(options, policy=policy, resolver=FakeDns())
            cold.append(await measure(pool, site.url()))
            warm += [await measure(pool, site.url()) for _ in range(warm_visits)]
            memory = await measure_memory_during(measure(pool, site.url()))
            await pool.close()
    report("cold start to first screenshot", cold)
    report("warm", warm)
    for name, (rss, pss) in memory.items():
        print(f"{name:>32}: RSS {rss:4} MB  PSS {pss:4} MB")


async def measure(pool: BrowserPool, url: str) -> float:
    started = time.perf_counter()
    outcome = await pool.render(get_url(url), want_html=True, want_screenshot=True, seconds=60)
    assert isinstance(outcome, Rendered), outcome
    assert outcome.thumbnail is not None
    return time.perf_counter() - started


def report(name: str, seconds: list[float]) -> None:
    print(f"{name:>32}: best {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s of {len(seconds)}")


async def measure_memory_during(visit: Coroutine[None, None, float]) -> dict[str, tuple[int, int]]:
    """The largest of the samples taken while a page is rendered."""
    work, samples = asyncio.ensure_future(visit), [measure_memory()]
    while not work.done():
        samples.append(measure_memory())
        await asyncio.sleep(0.05)
    work.result()
    return max(samples, key=lambda sample: sample["one slot"][1])


def measure_memory() -> dict[str, tuple[int, int]]:
    sums: dict[str, tuple[int, int]] = {}
    for process in find_descendants(os.getpid()):
        rss, pss = read_rollup(process.pid)
        for name in (name_process(process), "one slot"):
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + rss, before[1] + pss)
    return sums | {"this worker": read_rollup(os.getpid())}


def name_process(process: psutil.Process) -> str:
    try:
        line = " ".join(process.cmdline())
    except psutil.Error:  # it ended meanwhile
        return "Chromium"
    if "visitor" in line:
        return "visitor (Python)"
    return "driver (Node)" if "run-driver" in line else "Chromium"


def read_rollup(pid: int) -> tuple[int, int]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return 0, 0
    found = {line.split()[0]: int(line.split()[1]) // 1024 for line in lines if line.startswith(("Rss:", "Pss:"))}
    return found.get("Rss:", 0), found.get("Pss:", 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    asyncio.run(main(1, 2) if options.quick else main(options.rounds, 5))
