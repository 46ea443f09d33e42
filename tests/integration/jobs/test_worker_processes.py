"""Real worker processes against one database: competing, killed, stopped, cut off."""

import asyncio
import random
import signal
import time
from collections import Counter
from uuid import UUID, uuid4

import pytest

from kept.config import Settings
from kept.domain.failures import FailureCode
from kept.domain.job import JobKind, NewJob, Priority
from kept.storage.database.engine import Database
from kept.storage.queue.queue import find_job
from support.builders.jobs import (
    ask,
    count_jobs,
    kill_group,
    make_marks,
    new_job,
    read_marks,
    start_worker,
    until_empty,
    workers,
)
from support.fixtures.databases import create_database
from support.fixtures.transactions import reading
from support.fixtures.waiting import until
from support.servers.local_servers import own_postgres

pytestmark = pytest.mark.requirement("Kept", "no job is lost or done twice when workers are killed")

QUICK = {"KEPT_LEASE_SECONDS": "2", "KEPT_RETRY_BACKOFF_BASE": "0.1", "KEPT_HOST_GAP_SECONDS": "0.05"}
SLOW = "510"  # see support.builders.jobs
CHAOS_SECONDS = 5.0


def address(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


def has_started(database: Database, number: int = 1) -> bool:
    return len(read_marks(database, "started")) >= number


async def test_four_competing_workers_run_every_job_exactly_once(marked: Database) -> None:
    asked = ask(marked, *[new_job(host=f"h{number % 30}.example") for number in range(120)])
    patient = QUICK | {"KEPT_LEASE_SECONDS": "30"}  # a busy machine must not look like a dead worker
    with workers(4, address(marked), **patient):
        await until_empty(marked, seconds=120)
    done = Counter(one.subject_id for one in read_marks(marked))
    assert done == Counter(asked)
    assert len(read_marks(marked, "started")) == len(asked), "no job was begun twice"


async def test_jobs_of_a_killed_worker_group_run_again_after_the_lease(simple: Database) -> None:
    asked = ask(simple, *[new_job(UUID(SLOW + uuid4().hex[3:])) for _ in range(3)])
    first = start_worker(address(simple), **QUICK)
    try:
        await until(lambda: has_started(simple, 3), seconds=60)
    finally:
        kill_group(first)
    killed_at = time.monotonic()
    assert count_jobs(simple) == 3
    with workers(1, address(simple), **QUICK):
        await until_empty(simple, seconds=60)
    assert time.monotonic() - killed_at < 30
    assert sorted(one.subject_id for one in read_marks(simple)) == sorted(asked)
    assert {one.attempt for one in read_marks(simple)} == {2}


async def test_a_job_that_kills_its_worker_ends_as_worker_lost(simple: Database) -> None:
    [deadly] = ask(simple, new_job(UUID("dead" + uuid4().hex[4:])))
    victim = start_worker(address(simple), **QUICK, KEPT_MAX_ATTEMPTS="1")
    assert await asyncio.to_thread(victim.wait, 60) == -signal.SIGKILL
    with workers(1, address(simple), **QUICK, KEPT_MAX_ATTEMPTS="1"):
        await until_empty(simple, seconds=60)
    assert [one.attempt for one in read_marks(simple, "started")] == [1]
    [done] = read_marks(simple)
    assert (done.subject_id, done.note) == (deadly, FailureCode.WORKER_LOST)


async def test_a_worker_told_to_stop_gives_back_what_it_cannot_finish(simple: Database) -> None:
    asked = ask(simple, *[new_job() for _ in range(3)])
    with workers(1, address(simple), **QUICK, WORK_SECONDS="60", KEPT_DRAIN_SECONDS="0.5") as [process]:
        await until(lambda: has_started(simple, 3), seconds=60)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 30) == 0
    with reading(simple) as tx:
        left = [find_job(tx, JobKind.INGEST, subject_id) for subject_id in asked]
    assert [(job.attempt, job.lease_token) for job in left if job] == [(0, None)] * 3


async def test_workers_outlive_a_crash_of_postgresql() -> None:
    with own_postgres() as server:
        create_database(server.address, "kept")
        database = migrated(f"{server.address}/kept")
        with workers(1, f"{server.address}/kept", **QUICK, WORK_SECONDS="0.3") as [process]:
            before = ask(database, *[new_job() for _ in range(4)])
            await until(lambda: has_started(database), seconds=60)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            after = await ask_through_the_crash(database)
            await until(lambda: is_empty_by_now(database), seconds=60)
            assert process.poll() is None
        assert sorted(one.subject_id for one in read_marks(database)) == sorted(before + after)
        await database.close()


def migrated(url: str) -> Database:
    from kept.storage.migrations.schema import migrate

    sqlalchemy_url = Settings(database_url=url).sqlalchemy_url
    migrate(sqlalchemy_url)
    database = Database(sqlalchemy_url)
    make_marks(database)
    return database


async def ask_through_the_crash(database: Database) -> list[UUID]:
    """The pool may still hold connections of the server that died."""
    wanted = new_job()

    def is_asked() -> bool:
        try:
            ask(database, wanted)
        except Exception:
            return False
        return True

    await until(is_asked)
    return [wanted.subject_id]


def is_empty_by_now(database: Database) -> bool:
    try:
        return count_jobs(database) == 0
    except Exception:
        return False


async def test_in_chaos_every_job_is_done_and_none_twice(marked: Database) -> None:
    """Workers are killed at random while jobs come in: none lost, none left, none finished twice."""
    dice = random.Random(6)
    fleet = [start_worker(address(marked), **QUICK, WORK_SECONDS="0.05", KEPT_MAX_ATTEMPTS="50") for _ in range(2)]
    asked: list[UUID] = []
    try:
        ends_at = time.monotonic() + CHAOS_SECONDS
        while time.monotonic() < ends_at:
            asked += ask(marked, *[random_job(dice) for _ in range(dice.randint(1, 10))])
            if dice.random() < 0.15 and has_started(marked):
                number = dice.randrange(len(fleet))
                kill_group(fleet[number])
                fleet[number] = start_worker(address(marked), **QUICK, WORK_SECONDS="0.05", KEPT_MAX_ATTEMPTS="50")
            await asyncio.sleep(dice.uniform(0.05, 0.5))
        await until_empty(marked, seconds=120)
    finally:
        for process in fleet:
            kill_group(process)
    assert Counter(one.subject_id for one in read_marks(marked)) == Counter(asked)


def random_job(dice: random.Random) -> NewJob:
    host = dice.choice([None, "a.example", "b.example", f"{dice.randrange(20)}.example"])
    return new_job(host=host, priority=dice.choice(list(Priority)))
