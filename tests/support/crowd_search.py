"""`./bench search --crowd`: what a search costs a person among many who share articles."""

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import psutil
from rich.console import Console
from rich.table import Table

from kept.config import Settings
from kept.domain.paging import PageRequest
from kept.services.items.search import search_items
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from support.crowd import Crowd, fill
from support.crowd_queries import Asked, choose_people, make_queries
from support.databases import create_database
from support.servers import find_postgres_programs, kept_postgres
from support.transactions import reading

SMALL: Final = 1_000
GOAL_MS: Final = 80.0
NAME: Final = "crowd"


class Took(NamedTuple):
    asked: Asked
    ms: float
    cpu_ms: float
    """Of our own process and of PostgreSQL's: what a busy machine changes least."""


class Plan(NamedTuple):
    crowd: Crowd
    people: int = 60
    each: int = 2
    keep: Path | None = None
    """Where the databases stay, to be measured again."""


QUICK: Final = Plan(Crowd(people=12, articles=600, smallest=5, largest=120), people=4, each=1)


@contextmanager
def folder_of(plan: Plan) -> Iterator[Path]:
    if plan.keep is not None:
        plan.keep.mkdir(parents=True, exist_ok=True)
        yield plan.keep
        return
    with tempfile.TemporaryDirectory(prefix="kept-crowd-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o755)  # PostgreSQL has an account of its own
        yield Path(made)


def measure_crowd(plan: Plan, only: str | None) -> bool:
    is_good = True
    with folder_of(plan) as folder:
        if only in {None, "sqlite"}:
            path = folder / "kept.db"
            is_new = not path.exists()
            is_good &= asyncio.run(bench(f"sqlite:///{path}", plan, is_new=is_new, server=None))
        if only in {None, "postgresql"} and find_postgres_programs():
            data = folder / "postgresql"
            is_new = not data.exists()
            data.mkdir(exist_ok=True)
            with kept_postgres(data) as server:
                if is_new:
                    create_database(server.address, NAME)
                url = Settings(database_url=f"{server.address}/{NAME}").sqlalchemy_url
                is_good &= asyncio.run(bench(url, plan, is_new=is_new, server=psutil.Process(server.server.pid)))
    return is_good


async def bench(url: str, plan: Plan, *, is_new: bool, server: psutil.Process | None) -> bool:
    migrate(url)
    database = Database(url, durability="normal")
    if is_new:
        began = time.monotonic()
        fill(database, plan.crowd)
        print(f"{database.url.get_backend_name()}: filled in {time.monotonic() - began:.0f} s")
    queries = list_queries(database, plan)
    took = await measure(database, queries, server)
    await database.close()
    return report(database.url.get_backend_name(), took)


def list_queries(database: Database, plan: Plan) -> list[Asked]:
    chance = random.Random(5)
    with reading(database) as tx:
        people = choose_people(tx, plan.crowd, plan.people, SMALL)
        found = [asked for person in people for asked in make_queries(tx, person, chance, plan.each)]
    chance.shuffle(found)
    return found


async def measure(database: Database, queries: Sequence[Asked], server: psutil.Process | None) -> list[Took]:
    for asked in queries[: len(queries) // 4]:  # warm, as a server is
        await database.read(search_items, asked.person.viewer, None, asked.text, PageRequest())
    backends = [child.pid for child in server.children()] if server else []
    took, found = [], 0
    for asked in queries:
        began, cpu = time.perf_counter(), cpu_ms(backends)
        page = await database.read(search_items, asked.person.viewer, None, asked.text, PageRequest())
        took.append(Took(asked, (time.perf_counter() - began) * 1000, cpu_ms(backends) - cpu))
        found += bool(page.results)
    assert found > len(queries) / 2, "most queries must find something"
    print(f"load {os.getloadavg()[0]:.1f}; {found:,} of {len(queries):,} queries found something")
    return took


def cpu_ms(backends: Sequence[int]) -> float:
    """Of us and of these processes: Linux counts it in nanoseconds."""
    spent = 0
    for pid in backends:
        with suppress(OSError):  # one that ended meanwhile
            spent += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    return time.process_time() * 1000 + spent / 1e6


def report(name: str, took: Sequence[Took]) -> bool:
    small = [one for one in took if one.asked.person.size < SMALL]
    large = [one for one in took if one.asked.person.size >= SMALL]
    title = f"{name}: p50 and p95 in ms; in brackets the same of processor time"
    table = Table("query", f"libraries under {SMALL:,}", "larger ones", "all", title=title)
    for kind in dict.fromkeys(one.asked.kind for one in took):
        table.add_row(kind, *(sum_up(part, kind) for part in (small, large, took)))
    table.add_row("the mix", *(sum_up(part, None) for part in (small, large, took)), style="bold")
    Console().print(table)
    print(f"goal: p95 of the mix ≤ {GOAL_MS:.0f} ms")
    return p95_of(took) <= GOAL_MS


def sum_up(took: Sequence[Took], kind: str | None) -> str:
    chosen = [one for one in took if kind in {None, one.asked.kind}]
    if not chosen:
        return "–"
    took_ms, cpu = [one.ms for one in chosen], [one.cpu_ms for one in chosen]
    wall, spent = (f"{quantile(times, 0.5):.1f}, {quantile(times, 0.95):.1f}" for times in (took_ms, cpu))
    return f"{wall} ({spent})"


def p95_of(took: Sequence[Took]) -> float:
    return quantile([one.ms for one in took], 0.95) if took else 0.0


def quantile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
