"""From a saved link to an article: how many a second, how soon, and whether memory grows. `./bench ingest`.

    ./bench ingest [--articles N] [--jobs N] [--quick] [--only speed|memory|latency|thumbnails|turns] [--kept PATH]...

Pages of the corpus come from a server of their own on 250 loopback addresses, each a host; the local executor
works them off from SQLite, with the settings people get (no browser but in "latency").
Speed: beside the same worker with a Node and jsdom started for every page. Memory: of the worker and all its children.
Latency: `kept serve`, five saves a second, from a save's answer to the commit that makes its article readable.
Thumbnails: five pages without an image, saved together, with a browser that does not run yet.
Turns: articles a second, processor time and memory beside other installations (`--kept OLD/.venv/bin/kept`).
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import aiohttp
import psutil
from rich.console import Console
from rich.progress import Progress

from benchmarks.save import add_ann, give_token, run_apart, serving_python
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.ids import new_media_id
from kept.storage import lifecycles, media
from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from kept.storage.queue import queue
from support.builders.extraction_corpus import describe_corpus
from support.fixtures.transactions import writing
from support.servers.corpus_origin import host
from support.servers.jsdom_worker import install_jsdom
from support.servers.local_servers import free_port, wait_until

KEPT: Final = Path(sys.executable).with_name("kept")
HOSTS: Final = 250
PAGES: Final = 89
SAVES_A_SECOND: Final = 5
READY: Final = "SELECT count(*) FROM fragments"
SPEED_GOAL, LATENCY_GOAL_MS, THUMBNAIL_GOAL_SECONDS, GROWTH_GOAL = 5.0, 80.0, 8.0, 1.10
CPU_GOAL_MS, RATE_GOAL = 45.0, 45.0


@dataclass(frozen=True)
class Effort:
    articles: int = 1_500
    """Enough for the second extractor, which starts after some seconds of work, to matter as in an import."""
    baseline_articles: int = PAGES
    rounds: int = 2
    jobs: int = 10_000
    watch_seconds: float = 1.0
    saves: int = 150
    screenshots: int = 5
    warm: int = 10
    """Saves that start what a worker starts when it is first needed."""


QUICK: Final = Effort(
    articles=10, baseline_articles=3, rounds=1, jobs=30, watch_seconds=0.05, saves=3, screenshots=1, warm=1
)


# --- what runs beside us -----------------------------------------------------------------------------------------


def environment(folder: Path, origin_port: int, **variables: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    return clean | {
        "KEPT_DATA_DIR": str(folder),
        "KEPT_FETCH_ALLOW": f"127.0.0.0/8:{origin_port}",
        "KEPT_FETCH_PORTS": f"80,{origin_port}",
        "KEPT_SAVE_RATE": "1000000/minute",
        "KEPT_LOG_LEVEL": "error",
        "KEPT_STORE_IMAGES": "false",
        **variables,
    }


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[psutil.Process]:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[sqlite.Connection]:
    connection = sqlite.connect(folder / "kept.db", isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def count(connection: sqlite.Connection, query: str) -> int:
    [[number]] = connection.execute(query).fetchall()
    return int(number)


# --- a queue to work off -----------------------------------------------------------------------------------------


async def fill_queue(folder: Path, origin_port: int, jobs: int) -> None:
    """As imports leave it: pages nobody has fetched yet, one job each."""
    settings = Settings(data_dir=folder)
    migrate(settings.sqlalchemy_url)
    database = Database(settings.sqlalchemy_url, durability="normal")
    for start in range(0, jobs, 500):
        with writing(database) as tx:
            for number in range(start, min(start + 500, jobs)):
                media_id, now, at = new_media_id(), utc_now(), host(number % HOSTS)
                url = f"http://{at}:{origin_port}/{number % PAGES}/{number}"
                media.insert_media(tx, media_id, url, ProcessingStatus.PENDING, now)
                media.insert_alias(tx, url, media_id)
                lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
                job = NewJob(JobKind.INGEST, media_id, at, Priority.IMPORT, now, None, None)
                queue.enqueue(tx, job, now=now)
    await database.close()


@dataclass
class Drained:
    articles: int
    seconds: float
    pss_mb: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0
    """Of the worker and all below it."""

    @property
    def a_second(self) -> float:
        return self.articles / self.seconds


def drain(folder: Path, command: list[str], environment: dict[str, str], watch_seconds: float | None) -> Drained:
    """From the first article to the last job: starting up is not counted. Looks at the memory every so often."""
    with reading(folder) as connection, running(command, environment) as worker, Progress(transient=True) as progress:
        total = count(connection, "SELECT count(*) FROM jobs")
        task = progress.add_task("ingesting", total=total)
        wait_until(lambda: count(connection, READY) > 0, seconds=120, what="the first article")
        first, started, memory = count(connection, READY), time.monotonic(), []
        before = cpu = measure_cpu_seconds(worker)
        while left := count(connection, "SELECT count(*) FROM jobs"):
            progress.update(task, completed=total - left)
            if watch_seconds is not None:
                memory.append(measure_pss_mb(worker))
            time.sleep(watch_seconds or 0.1)
            cpu = measure_cpu_seconds(worker)
        return Drained(count(connection, READY) - first, time.monotonic() - started, memory, cpu - before)


def measure_cpu_seconds(worker: psutil.Process) -> float:
    total = 0.0
    for process in [worker, *worker.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:2])
    return total


def measure_pss_mb(worker: psutil.Process) -> float:
    total = 0
    for process in [worker, *worker.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total / 1024**2


def measure_speed(articles: int, baseline_articles: int, rounds: int) -> bool:
    """By turns, so that a busy machine is unfair to neither; the best round counts."""
    install_jsdom()
    ways = {
        "Kept": ([str(KEPT), "worker"], articles),
        "a Node with jsdom for each page": ([sys.executable, "-m", "support.servers.jsdom_worker"], baseline_articles),
    }
    best = dict.fromkeys(ways, 0.0)
    for _ in range(rounds):
        for name, (command, number) in ways.items():
            done = drain_fresh_queue(number, command)
            best[name] = max(best[name], done.a_second)
            print(f"  {name:32} {done.a_second:6.2f} articles/s ({done.articles} in {done.seconds:.0f} s)")
    factor = best["Kept"] / best["a Node with jsdom for each page"]
    print(f"  factor {factor:.1f} (goal ≥ {SPEED_GOAL:.0f})")
    return factor >= SPEED_GOAL


def drain_fresh_queue(jobs: int, command: list[str], watch_seconds: float | None = None) -> Drained:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_python("-m", "support.servers.corpus_origin", str(HOSTS)) as port,
    ):
        asyncio.run(fill_queue(Path(folder), port, jobs))
        variables = environment(Path(folder), port, KEPT_RENDER="never")
        return drain(Path(folder), command, variables, watch_seconds)


def measure_turns(installations: list[Path], articles: int, rounds: int) -> bool:
    """By turns; the median of each counts."""
    taken: dict[Path, list[Drained]] = {kept: [] for kept in installations}
    for _ in range(rounds):
        for kept, drained in taken.items():
            drained.append(drain_fresh_queue(articles, [str(kept), "worker"], 0.5))
    for kept, drained in taken.items():
        rate, cpu, pss = (statistics.median(one) for one in zip(*map(describe_drained, drained), strict=True))
        print(f"  {rate:5.1f} articles/s, {cpu:5.1f} ms of processor time an article, PSS {pss:4.0f} MB   {kept}")
    rate, cpu, _ = (statistics.median(one) for one in zip(*map(describe_drained, taken[KEPT]), strict=True))
    print(f"  goals: ≥ {RATE_GOAL:.0f} articles/s, ≤ {CPU_GOAL_MS:.0f} ms")
    return bool(rate >= RATE_GOAL and cpu <= CPU_GOAL_MS)


def describe_drained(drained: Drained) -> tuple[float, float, float]:
    return drained.a_second, drained.cpu_seconds / drained.articles * 1000, max(drained.pss_mb)


def measure_memory(jobs: int, watch_seconds: float) -> bool:
    done = drain_fresh_queue(jobs, [str(KEPT), "worker"], watch_seconds)
    quarter = max(1, len(done.pss_mb) // 4)
    second, last = statistics.median(done.pss_mb[quarter : 2 * quarter]), statistics.median(done.pss_mb[-quarter:])
    print(f"  {jobs:,} jobs in {done.seconds:.0f} s: {done.a_second:.1f} articles/s")
    print(f"  PSS of the worker's tree: median {second:.0f} MB in the second quarter, {last:.0f} MB in the last,")
    print(f"  {max(done.pss_mb):.0f} MB at most; last / second {last / second:.2f} (goal ≤ {GROWTH_GOAL})")
    return last / second <= GROWTH_GOAL


# --- how soon ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def kept_server(folder: Path, origin_port: int) -> Iterator[tuple[str, str]]:
    with kept_process(KEPT, folder, origin_port) as (address, token, _):
        yield address, token


@contextlib.contextmanager
def kept_process(kept: Path, folder: Path, origin_port: int, **more: str) -> Iterator[tuple[str, str, psutil.Process]]:
    """An installation's server with its worker: where it is, a token for it, its process."""
    port = free_port()
    variables = environment(folder, origin_port, KEPT_PORT=str(port), **more)
    add_ann(folder)
    token = run_apart(give_token(folder))
    with running([str(kept), "serve"], variables) as process:
        wait_until(lambda: answers(port), seconds=60, what="Kept")
        yield f"http://127.0.0.1:{port}", token, process


def answers(port: int) -> bool:
    with contextlib.suppress(OSError):
        return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).status == 200)
    return False


class Watcher:
    """Notes when a media first fulfils a condition, by looking at the database whenever somebody has committed."""

    def __init__(self, folder: Path, condition: str) -> None:
        self.path, self.condition = folder / "kept.db", condition
        self.seen: dict[str, float] = {}

    async def watch(self) -> None:
        connection, version = sqlite.connect(self.path, isolation_level=None), None
        while True:
            [[now]] = connection.execute("PRAGMA data_version").fetchall()
            if now != version:
                version = now
                for (media_id,) in connection.execute(f"SELECT id FROM media WHERE {self.condition}").fetchall():
                    self.seen.setdefault(str(UUID(media_id)), time.perf_counter())
            await asyncio.sleep(0.002)


async def save(session: aiohttp.ClientSession, address: str, url: str) -> tuple[str, float]:
    async with session.post(f"{address}/api/v1/items", json={"url": url}) as answer:
        item = (await answer.json())["data"]
    return item["media_id"], time.perf_counter()


async def time_until(
    watcher: Watcher, session: aiohttp.ClientSession, address: str, urls: list[str], *, gap_seconds: float
) -> list[float]:
    """Milliseconds from each save's answer to its condition; a page that was quicker than its answer took none."""
    watching = asyncio.create_task(watcher.watch())
    saving = []
    for number, url in enumerate(urls):
        await asyncio.sleep(gap_seconds if number else 0)
        saving.append(asyncio.create_task(save(session, address, url)))
    answered: dict[str, float] = dict([await one for one in saving])
    async with asyncio.timeout(120):
        while answered.keys() - watcher.seen.keys():
            await asyncio.sleep(0.05)
    watching.cancel()
    return [max(watcher.seen[media_id] - at, 0.0) * 1000 for media_id, at in answered.items()]


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def measure_latency(saves: int, warm: int) -> bool:
    with (
        tempfile.TemporaryDirectory() as name,
        serving_python("-m", "support.servers.corpus_origin", str(HOSTS)) as port,
    ):
        folder = Path(name)
        with kept_server(folder, port) as (address, token):
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
                urls = readable_urls(port, saves + warm)
                ready = Watcher(folder, "processing_status = 'ready_for_reading'")
                await time_until(ready, session, address, urls[:warm], gap_seconds=0.5)
                took = await time_until(ready, session, address, urls[warm:], gap_seconds=1 / SAVES_A_SECOND)
                most_requests = max(read_requests(port).values())
    p50, p95 = quantile(took, 0.5), quantile(took, 0.95)
    print(f"  {saves} saves, {SAVES_A_SECOND} a second, from the answer to the article:", end="")
    print(f" p50 {p50:.0f} ms (goal ≤ {LATENCY_GOAL_MS:.0f}), p95 {p95:.0f} ms")
    print(f"  requests of the origin for one page: {most_requests} at most (goal 1)")
    return p50 <= LATENCY_GOAL_MS and most_requests == 1


async def measure_thumbnails(installations: list[Path], screenshots: int) -> bool:
    worst = {kept: await time_thumbnails(kept, screenshots) for kept in installations}
    for kept, seconds in worst.items():
        print(f"  {screenshots} pages with no image, saved together: the last thumbnail after {seconds:.1f} s   {kept}")
    print(f"  goal: ≤ {THUMBNAIL_GOAL_SECONDS:.0f} s, with a browser that has to start")
    return worst[KEPT] <= THUMBNAIL_GOAL_SECONDS


async def time_thumbnails(kept: Path, screenshots: int) -> float:
    with (
        tempfile.TemporaryDirectory() as name,
        serving_python("-m", "support.servers.corpus_origin", str(HOSTS)) as port,
    ):
        folder = Path(name)
        with kept_process(kept, folder, port) as (address, token, _):
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
                ready = Watcher(folder, "processing_status = 'ready_for_reading'")
                await time_until(ready, session, address, readable_urls(port, 1), gap_seconds=0)
                plain = [url + "-plain" for url in readable_urls(port, screenshots, start=1000)]
                pictured = Watcher(folder, "thumbnail_key IS NOT NULL")
                return max(await time_until(pictured, session, address, plain, gap_seconds=0)) / 1000


def readable_urls(port: int, number: int, start: int = 0) -> list[str]:
    numbers = range(start, start + number)
    return [f"http://{host(one % HOSTS)}:{port}/{one % PAGES}/{one}" for one in numbers]


def read_requests(port: int) -> dict[str, int]:
    counted: dict[str, int] = json.load(urllib.request.urlopen(f"http://{host(0)}:{port}/requests", timeout=10))
    return {path: number for path, number in counted.items() if path.count("/") == 2}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench ingest", description=__doc__)
    parser.add_argument("--articles", type=int, default=Effort.articles)
    parser.add_argument("--jobs", type=int, default=Effort.jobs)
    parser.add_argument("--only", choices=("speed", "memory", "latency", "thumbnails", "turns"))
    parser.add_argument("--kept", type=Path, action="append", default=[], help="another installation's `kept`")
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    print(describe_corpus(), file=sys.stderr)
    effort = QUICK if options.quick else Effort(articles=options.articles, jobs=options.jobs)
    sections: dict[str, Callable[[], Any]] = {
        "latency": lambda: asyncio.run(measure_latency(effort.saves, effort.warm)),
        "thumbnails": lambda: asyncio.run(measure_thumbnails([KEPT, *options.kept], effort.screenshots)),
        "turns": lambda: measure_turns([KEPT, *options.kept], effort.articles, effort.rounds),
        "speed": lambda: measure_speed(effort.articles, effort.baseline_articles, effort.rounds),
        "memory": lambda: measure_memory(effort.jobs, effort.watch_seconds),
    }
    met = []
    for name, measure in sections.items():
        if options.only in {None, name}:
            Console().print(f"[bold]{name}[/bold]")
            met.append(measure())
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
