"""What a claim costs with 1,000 and with 100,000 jobs queued, nine in ten of them of one host: `./bench claim`.

    ./bench claim [--quick]

The goal is a factor of 2 at most. Time stands for the queue only: `now` is handed in, ten milliseconds further with
each claim, so that the busy host's next job is due a hundred claims later.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from kept.config import Settings
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority, Queue
from kept.ids import new_id
from kept.storage import tables
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from kept.storage.queue import queue
from kept.storage.queue.claiming import Claiming, Postponed, claim, find_next_due
from support.fixtures.databases import create_database
from support.fixtures.transactions import writing
from support.servers.local_servers import find_postgres_programs, run_postgres

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = Claiming(lease_seconds=10, host_gap_seconds=1, host_concurrency=2)
KINDS = (JobKind.INGEST,)
SIZES = (1_000, 100_000)
QUICK_SIZES = (200, 2_000)
GOAL = 2.0

T = TypeVar("T")


def fill(database: Database, size: int) -> None:
    """As `enqueue` would leave it: the first of a host can be claimed, the others stand in its line."""
    rows = [make_row(number) for number in range(size)]
    with writing(database) as tx:
        for start in range(0, size, 1000):
            tx.execute(tables.jobs.insert(), rows[start : start + 1000])


def make_row(number: int) -> dict[str, Any]:
    is_busy = number % 10 != 0
    return {
        "id": new_id(),
        "kind": JobKind.INGEST,
        "subject_id": uuid4(),
        "queue": Queue.INGEST,
        "host": "busy.example" if is_busy else f"host-{number}.example",
        "priority": Priority.IMPORT,
        "attempt": 0,
        "run_at": NOW - timedelta(hours=1) + timedelta(microseconds=number),
        "enqueued_at": NOW,
        "is_queued_behind": is_busy and number > 1,
        "wanted": 1,
    }


async def take(database: Database, now: datetime) -> ClaimedJob:
    while True:
        got = await database.write(claim, Queue.INGEST, KINDS, now=now, rules=RULES)
        match got:
            case ClaimedJob():
                return got
            case None:
                raise RuntimeError("nothing to claim")
            case Postponed():
                continue


async def timed(action: Awaitable[T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = await action
    return (time.perf_counter() - started) * 1000, result


async def measure(urls: list[str], sizes: tuple[int, ...]) -> list[dict[str, float]]:
    """Both sizes by turns, so that whatever else the machine does meets both alike."""
    databases = []
    for url, size in zip(urls, sizes, strict=True):
        migrate(url)
        databases.append(Database(url, durability="normal"))
        fill(databases[-1], size)
    spent: list[dict[str, list[float]]] = [{"claim": [], "enqueue": [], "next due": []} for _ in sizes]
    for number in range(sizes[0] // 10):  # as many as the small queue has of other hosts
        for database, times in zip(databases, spent, strict=True):
            await one_round(database, NOW + timedelta(milliseconds=10 * number), times)
    for database in databases:
        await database.close()
    return [{what: statistics.median(values) for what, values in times.items()} for times in spent]


async def one_round(database: Database, now: datetime, times: dict[str, list[float]]) -> None:
    milliseconds, job = await timed(take(database, now))
    times["claim"].append(milliseconds)
    times["enqueue"].append((await timed(ask_for_more(database, now)))[0])
    times["next due"].append((await timed(look(database, now)))[0])
    await database.write(queue.finish, job)


async def ask_for_more(database: Database, now: datetime) -> None:
    job = NewJob(JobKind.RENDER, uuid4(), "busy.example", Priority.IMPORT, now, None, None)
    await database.write(queue.enqueue, job, now=now)


async def look(database: Database, now: datetime) -> None:
    await database.read(find_next_due, Queue.INGEST, KINDS, now=now, lease_seconds=10)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench claim", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    sizes = QUICK_SIZES if parser.parse_args().quick else SIZES
    table = Table("database", "", *(f"{size:,} queued" for size in sizes), "factor", title="ms, median")
    worst = 0.0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        addresses = {"SQLite": [f"sqlite:///{folder / f'{size}.db'}" for size in sizes]}
        if find_postgres_programs():
            server = stack.enter_context(run_postgres())
            for size in sizes:
                create_database(server, f"bench_{size}")
            addresses["PostgreSQL"] = [f"{server}/bench_{size}" for size in sizes]
        for name, urls in addresses.items():
            small, large = asyncio.run(measure([Settings(database_url=url).sqlalchemy_url for url in urls], sizes))
            for what in small:
                factor = large[what] / small[what]
                table.add_row(name, what, f"{small[what]:.2f}", f"{large[what]:.2f}", f"{factor:.2f}")
            worst = max(worst, large["claim"] / small["claim"])
    Console().print(table)
    print(f"claim: at most {worst:.2f} times as dear with {sizes[1] // sizes[0]} times as many jobs (goal: {GOAL})")
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
