"""The local executor inside the test's own loop: wake-ups, crashes, overruns, leases, drain."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from kept.clock import utc_now
from kept.config import Limits, Settings
from kept.domain.account import User
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority, Queue
from kept.jobs.local import BACKLOG_JOBS, LocalExecutor
from kept.jobs.running import Handler, Handlers, JobRunner, RunRules
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.storage.queue.claiming import Claiming
from kept.storage.tables import jobs
from support.builders.accounts import make_user
from support.builders.jobs import ask, count_jobs, make_handlers, mark, new_job, read_marks, until_empty
from support.fixtures.transactions import reading, writing
from support.fixtures.waiting import until
from support.servers.local_servers import free_port

SHORT = Limits(job_seconds=0.2)


def rules(**changes: Any) -> Settings:
    return Settings(retry_backoff_base=0.05, host_gap_seconds=0.2, **changes)


@asynccontextmanager
async def executing(
    database: Database, handlers: Handlers, settings: Settings | None = None, *, ingest: int = 4
) -> AsyncIterator[LocalExecutor]:
    settings = settings or rules()
    executor = LocalExecutor(
        database,
        JobRunner(database, handlers, RunRules.from_settings(settings)),
        slots={Queue.INGEST: ingest, Queue.RENDER: 1},
        rules=Claiming.from_settings(settings),
        drain_seconds=settings.drain_seconds,
    )
    running = asyncio.create_task(executor.run())
    try:
        yield executor
    finally:
        executor.stop()
        await asyncio.wait_for(running, 30)


async def other_connection(database: Database) -> Database:
    return Database(database.url.render_as_string(hide_password=False))


async def test_an_idle_executor_is_woken_at_once_by_another_connections_commit(marked: Database) -> None:
    """data_version on SQLite, LISTEN/NOTIFY on PostgreSQL: the handler runs within 300 ms, not when the sleep ends."""
    api, begun = await other_connection(marked), asyncio.Queue[float]()

    async def run(job: ClaimedJob) -> None:
        begun.put_nowait(time.monotonic())
        mark(marked, "done", job, finish=True)

    waited = []
    async with executing(marked, {JobKind.INGEST: Handler(run, never)}):
        for _ in range(5):
            await until_empty(marked)
            ask(api, new_job())
            committed = time.monotonic()
            waited.append(await asyncio.wait_for(begun.get(), 20) - committed)
        await until_empty(marked)
    await api.close()
    # the best of five: a busy machine delays any single one
    assert min(waited) < 0.3


async def test_jobs_due_later_are_run_in_time(simple: Database) -> None:
    async with executing(simple, make_handlers(simple)):
        ask(simple, new_job(run_at=utc_now() + timedelta(seconds=0.6)))
        await asyncio.sleep(0.2)
        assert read_marks(simple) == []
        await until_empty(simple)


async def test_a_job_that_is_due_soon_has_its_processes_started_before(simple: Database) -> None:
    warmed_up = asyncio.Event()
    ingest = replace(make_handlers(simple)[JobKind.INGEST], warm_up=warmed_up.set)
    async with executing(simple, {JobKind.INGEST: ingest}):
        ask(simple, new_job(run_at=utc_now() + timedelta(seconds=8)))
        await asyncio.wait_for(warmed_up.wait(), 7)
        assert read_marks(simple) == []


async def test_a_handler_is_told_of_a_backlog_of_its_own_kind(marked: Database) -> None:
    told = asyncio.Event()
    ingest = replace(make_handlers(marked)[JobKind.INGEST], expect_backlog=told.set)
    images = [new_job(kind=JobKind.STORE_IMAGES) for _ in range(BACKLOG_JOBS)]
    ask(marked, *images, *[new_job() for _ in range(5)])
    async with executing(marked, {JobKind.INGEST: ingest}, ingest=2):
        await until(lambda: is_left(marked, len(images)))
    assert not told.is_set()

    async def run(job: ClaimedJob) -> None:
        await told.wait()  # or a slow look at the queue would find the last of them done
        mark(marked, "done", job, finish=True)

    ask(marked, *[new_job() for _ in range(2 * BACKLOG_JOBS)])
    async with executing(marked, {JobKind.INGEST: replace(ingest, run=run)}, ingest=2):
        await asyncio.wait_for(told.wait(), 20)


@pytest.mark.requirement("004", "§10 concurrency")
async def test_no_more_jobs_run_at_once_than_there_are_slots(simple: Database) -> None:
    at_once, most, all_slots_taken = 0, 0, asyncio.Event()

    async def run(job: ClaimedJob) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        if at_once == 3:
            all_slots_taken.set()
        await asyncio.wait_for(all_slots_taken.wait(), 20)
        await asyncio.sleep(0.05)
        at_once -= 1
        mark(simple, "done", job, finish=True)

    async with executing(simple, {JobKind.INGEST: Handler(run, never)}, ingest=3):
        ask(simple, *[new_job() for _ in range(12)])
        await until_empty(simple)
    assert most == 3


async def never(job: ClaimedJob, code: FailureCode, message: str) -> None:
    raise AssertionError(f"{job} was given up: {code}")


async def test_a_kind_without_a_handler_stays_queued(simple: Database) -> None:
    handlers = {JobKind.INGEST: make_handlers(simple)[JobKind.INGEST]}
    async with executing(simple, handlers):
        ask(simple, new_job(kind=JobKind.STORE_IMAGES), new_job(kind=JobKind.RENDER), new_job())
        await until(lambda: is_left(simple, 2))
    assert {job.kind for job in rows(simple)} == {JobKind.STORE_IMAGES, JobKind.RENDER}


def is_left(database: Database, number: int) -> bool:
    return count_jobs(database) == number


def rows(database: Database) -> list[Any]:
    with reading(database) as tx:
        return list(tx.execute(jobs.select()).all())


async def test_a_crash_is_tried_again_and_given_up_after_its_attempts(simple: Database) -> None:
    attempts: list[int] = []

    async def run(job: ClaimedJob) -> None:
        attempts.append(job.attempt)
        raise ZeroDivisionError

    async def give_up(job: ClaimedJob, code: FailureCode, message: str) -> None:
        mark(simple, "done", job, code, finish=True)

    async with executing(simple, {JobKind.INGEST: Handler(run, give_up)}):
        ask(simple, new_job())
        await until_empty(simple)
    assert attempts == [1, 2, 3]
    assert [one.note for one in read_marks(simple)] == [FailureCode.INGEST_FAILED]


async def test_a_handler_that_forgets_its_job_is_a_crash(simple: Database) -> None:
    attempts: list[int] = []

    async def run(job: ClaimedJob) -> None:
        attempts.append(job.attempt)
        if job.attempt == 2:
            mark(simple, "done", job, finish=True)

    async with executing(simple, {JobKind.INGEST: Handler(run, never)}):
        ask(simple, new_job())
        await until_empty(simple)
    assert attempts == [1, 2]


@pytest.mark.requirement("004", "§9 hard wall clock, `E_INGEST_TIMEOUT`")
async def test_a_job_past_its_time_is_cancelled_and_tried_again_then_given_up(simple: Database) -> None:
    cancelled: list[int] = []

    async def run(job: ClaimedJob) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(job.attempt)
            raise

    async def give_up(job: ClaimedJob, code: FailureCode, message: str) -> None:
        mark(simple, "done", job, code, finish=True)

    settings = rules(limits=SHORT, max_attempts=2)
    async with executing(simple, {JobKind.INGEST: Handler(run, give_up)}, settings):
        ask(simple, new_job())
        await until_empty(simple)
    assert cancelled == [1, 2]
    assert [one.note for one in read_marks(simple)] == [FailureCode.INGEST_TIMEOUT]


async def test_a_handler_may_tell_of_an_overrun_itself(simple: Database) -> None:
    async def run(job: ClaimedJob) -> None:
        await asyncio.sleep(60)

    async def fall_short(job: ClaimedJob, code: FailureCode, message: str) -> None:
        mark(simple, "done", job, "told", finish=True)

    async with executing(simple, {JobKind.INGEST: Handler(run, never, fall_short)}, rules(limits=SHORT)):
        ask(simple, new_job())
        await until_empty(simple)
    assert [one.note for one in read_marks(simple)] == ["told"]


async def test_a_job_whose_workers_died_too_often_is_not_run_again(marked: Database) -> None:
    """E_WORKER_LOST: a page that kills workers burns its attempts and ends."""
    [subject] = ask(marked, new_job())
    with writing(marked) as tx:
        tx.execute(update(jobs).values(attempt=3, lease_token=uuid4(), lease_until=utc_now()))
    async with executing(marked, make_handlers(marked)):
        await until_empty(marked)
    assert read_marks(marked, "started") == []
    [end] = read_marks(marked)
    assert (end.subject_id, end.note) == (subject, FailureCode.WORKER_LOST)


async def test_giving_up_that_fails_is_tried_again(simple: Database) -> None:
    tries: list[FailureCode] = []

    async def give_up(job: ClaimedJob, code: FailureCode, message: str) -> None:
        tries.append(code)
        if len(tries) == 1:
            raise ZeroDivisionError
        mark(simple, "done", job, code, finish=True)

    async def run(job: ClaimedJob) -> None:
        raise ZeroDivisionError

    ask(simple, new_job())
    async with executing(simple, {JobKind.INGEST: Handler(run, give_up)}, rules(max_attempts=1)):
        await until_empty(simple)
    assert tries == [FailureCode.INGEST_FAILED] * 2


@pytest.mark.requirement("Kept", "a job that an older worker cannot do is not given up")
async def test_a_job_that_a_worker_could_not_end_has_a_fair_attempt_in_another(simple: Database) -> None:
    """A worker of an older version that does not know a state fails at all it tries; a newer one must not end the
    job for that."""

    async def fail(job: ClaimedJob, *_: object) -> None:
        raise ValueError("'card_only' is not a valid ProcessingStatus")

    def has_failed_at_all() -> bool:
        with reading(simple) as tx:
            row = tx.execute(select(jobs.c.attempt, jobs.c.lease_token)).one()
        return row.attempt > 2 and row.lease_token is None

    ask(simple, new_job())
    async with executing(simple, {JobKind.INGEST: Handler(fail, fail, fail)}, rules(max_attempts=2)):
        await until(has_failed_at_all)
    with writing(simple) as tx:
        tx.execute(update(jobs).values(run_at=utc_now()))
    async with executing(simple, make_handlers(simple), rules(max_attempts=2)):
        await until_empty(simple)
    assert [one.note for one in read_marks(simple)] == [""]


async def test_long_work_renews_its_lease_and_is_run_once(marked: Database) -> None:
    settings = rules(lease_seconds=2)
    async with (
        executing(marked, make_handlers(marked, work_seconds=5), settings),
        executing(marked, make_handlers(marked, work_seconds=5), settings),
    ):
        ask(marked, new_job())
        await until_empty(marked)
    assert len(read_marks(marked, "started")) == 1


async def test_a_worker_that_lost_its_lease_is_stopped(simple: Database) -> None:
    cancelled = asyncio.Event()

    async def run(job: ClaimedJob) -> None:
        with writing(simple) as tx:
            queue.cancel(tx, job.kind, job.subject_id)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with executing(simple, {JobKind.INGEST: Handler(run, never)}, rules(lease_seconds=0.6)):
        ask(simple, new_job())
        await asyncio.wait_for(cancelled.wait(), 20)


async def test_a_drain_lets_running_jobs_end_and_claims_no_more(marked: Database) -> None:
    async with executing(marked, make_handlers(marked, work_seconds=0.5), ingest=2):
        ask(marked, *[new_job() for _ in range(5)])
        await until(lambda: has_marks(marked, "started", 2))
    assert len(read_marks(marked)) == 2
    assert len(rows(marked)) == 3


def has_marks(database: Database, table: str, number: int) -> bool:
    return len(read_marks(database, table)) >= number


async def test_what_does_not_end_in_time_is_given_back_uncounted(marked: Database) -> None:
    async with executing(marked, make_handlers(marked, work_seconds=60), rules(drain_seconds=0.3)):
        ask(marked, new_job(), new_job())
        await until(lambda: has_marks(marked, "started", 2))
    assert [(row.attempt, row.lease_token, row.run_at <= utc_now()) for row in rows(marked)] == [(0, None, True)] * 2


async def test_a_second_signal_gives_running_jobs_back_at_once(simple: Database) -> None:
    started = time.monotonic()
    async with executing(simple, make_handlers(simple, work_seconds=60), rules(drain_seconds=60)) as executor:
        ask(simple, new_job())
        await until(lambda: has_marks(simple, "started", 1))
        executor.stop()
    assert time.monotonic() - started < 20
    assert [row.attempt for row in rows(simple)] == [0]


async def test_a_person_is_served_before_an_import_and_hosts_are_not_rushed(marked: Database) -> None:
    imported = [new_job(host="a.example", priority=Priority.IMPORT) for _ in range(4)]
    person = new_job(host="a.example")
    ask(marked, *imported, person)
    started = time.monotonic()
    async with executing(marked, make_handlers(marked)):
        await until_empty(marked)
    assert time.monotonic() - started >= 4 * 0.2
    done = [one.subject_id for one in read_marks(marked)]
    assert done[0] == person.subject_id
    assert {one.attempt for one in read_marks(marked)} == {1}


def jobs_left(tx: Connection) -> int:
    return len(tx.execute(jobs.select()).all())


async def test_a_job_that_meets_an_outage_is_not_blamed(simple: Database) -> None:
    seen: list[int] = []

    async def run(job: ClaimedJob) -> None:
        seen.append(job.attempt)
        if len(seen) < 2:
            await Database(f"postgresql+psycopg://kept@127.0.0.1:{free_port()}/kept").read(jobs_left)
        mark(simple, "done", job, finish=True)

    async with executing(simple, {JobKind.INGEST: Handler(run, never)}, rules(max_attempts=1)):
        ask(simple, new_job())
        await until_empty(simple)
    assert seen == [1, 1]


async def test_subjects_are_told_apart(marked: Database) -> None:
    async with executing(marked, make_handlers(marked)):
        asked = ask(marked, *[new_job() for _ in range(50)])
        await until_empty(marked)
    done: list[UUID] = [one.subject_id for one in read_marks(marked)]
    assert sorted(done) == sorted(asked)


@pytest.mark.requirement("Kept", "whoever has nothing running does not wait for others")
async def test_whoever_has_nothing_running_does_not_wait_for_the_jobs_of_others(marked: Database) -> None:
    """All slots are taken by one user's jobs, more wait, and none ends; imports and browsers have no reserve."""
    ann, bob = make_user(marked, "ann"), make_user(marked, "bob")
    begun: list[UUID | None] = []
    is_over = asyncio.Event()

    async def run(job: ClaimedJob) -> None:
        begun.append(job.actor_user_id)
        await is_over.wait()
        mark(marked, "done", job, finish=True)

    def for_user(user: User, **chosen: Any) -> NewJob:
        return replace(new_job(**chosen), actor_user_id=user.id)

    async with executing(marked, {kind: Handler(run, never) for kind in (JobKind.INGEST, JobKind.RENDER)}, ingest=2):
        ask(marked, *[for_user(ann) for _ in range(6)])
        ask(marked, for_user(ann, kind=JobKind.RENDER))
        await until(lambda: len(begun) == 3)
        ask(marked, for_user(bob, priority=Priority.IMPORT), for_user(bob, kind=JobKind.RENDER))
        ask(marked, for_user(bob), for_user(bob))
        await until(lambda: len(begun) == 4)
        is_over.set()
        await until_empty(marked)
    assert begun[:4] == [ann.id, ann.id, ann.id, bob.id]
    assert sorted(begun, key=str) == sorted([ann.id] * 7 + [bob.id] * 4, key=str)
