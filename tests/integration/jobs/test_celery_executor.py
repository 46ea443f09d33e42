"""Celery with a real Redis: the broker carries wakeups, the rows are the truth."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import redis
from sqlalchemy import text

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.failures import FailureCode
from kept.domain.job import JobKind, Priority, Queue
from kept.jobs.broker import WakeupSender
from kept.jobs.notifier import BrokerNotifier, Notifier, NullNotifier, create_notifier
from kept.jobs.sweeper import MOST_WAKEUPS, sweep
from kept.storage.database.engine import Database
from kept.storage.queue.report import mark_for_wakeup
from support.builders.jobs import ask, environment, make_marks, new_job, read_marks, until_empty
from support.fixtures.databases import PostgresDatabases, copy_postgres
from support.fixtures.transactions import writing
from support.fixtures.waiting import until
from support.servers.local_servers import free_port, run_rabbitmq, run_redis

pytestmark = pytest.mark.requirement("004", "§5 contents of a job, queues, wakeups")

QUICK = {"KEPT_LEASE_SECONDS": "2", "KEPT_RETRY_BACKOFF_BASE": "0.1", "KEPT_HOST_GAP_SECONDS": "0.1"}


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """A Redis of our own: it is emptied."""
    with run_redis() as url:
        yield url


@pytest.fixture(scope="module")
async def marked(postgres_server: str, postgres_template: str) -> AsyncIterator[Database]:
    """PostgreSQL, as where Celery is used. One database and one worker for all: a worker takes seconds to start."""
    database = Database(Settings(database_url=copy_postgres(postgres_server, postgres_template)).sqlalchemy_url)
    make_marks(database)
    yield database
    await database.close()


def start_celery(database: Database, broker: str, **variables: str) -> "subprocess.Popen[bytes]":
    url = database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "celery", "-A", "support.servers.celery_worker", "worker", "-Q", "ingest,render"]
    chosen = QUICK | {"KEPT_EXECUTOR": "celery", "KEPT_BROKER_URL": broker} | variables
    return subprocess.Popen(
        [*command, "-c", "2", "--without-mingle", "--without-gossip"],
        env=environment(url, **chosen),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )


@contextmanager
def celery_worker(database: Database, broker: str, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = start_celery(database, broker, **variables)
    try:
        yield process
    finally:
        kill_celery(process)


def kill_celery(process: "subprocess.Popen[bytes]") -> None:
    """Its children stay in its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="module")
async def worker(marked: Database, broker: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
    """Ready: it has run a job. The last test stops it."""
    with celery_worker(marked, broker, WORK_SECONDS="0.05") as process:
        ask(marked, new_job())
        await until_empty(marked, seconds=90)
        yield process


@pytest.fixture(scope="module")
def notifier(broker: str) -> Iterator[Notifier]:
    notifier = create_notifier(Settings(executor="celery", broker_url=broker))
    yield notifier
    notifier.close()


def notify_of(notifier: Notifier, subjects: list[UUID]) -> None:
    for subject_id in subjects:
        notifier.notify(JobKind.INGEST, subject_id)


def done_once(database: Database, subjects: list[UUID]) -> bool:
    times = Counter(one.subject_id for one in read_marks(database))
    return all(times[subject_id] == 1 for subject_id in subjects)


@pytest.mark.usefixtures("worker")
async def test_announced_jobs_run_once_each(marked: Database, notifier: Notifier) -> None:
    asked = ask(marked, *[new_job() for _ in range(20)], new_job(kind=JobKind.RENDER))
    notify_of(notifier, asked)
    await until_empty(marked, seconds=60)
    assert done_once(marked, asked)


@pytest.mark.requirement("Kept", "lost messages lose nothing; an absent broker delays nobody")
@pytest.mark.usefixtures("worker")
async def test_losing_every_message_loses_nothing(marked: Database, broker: str, notifier: Notifier) -> None:
    """Half were never published: an API that died between commit and publish. The other half go with FLUSHALL."""
    asked = ask(marked, *[new_job() for _ in range(60)])
    notify_of(notifier, asked[:30])
    redis.Redis.from_url(broker).flushall()
    started = time.monotonic()
    await until_empty(marked, seconds=60)
    assert time.monotonic() - started < 10
    assert done_once(marked, asked)


@pytest.mark.usefixtures("worker")
async def test_a_job_due_later_is_run_when_it_is_due(marked: Database, notifier: Notifier) -> None:
    due_at = utc_now() + timedelta(seconds=1.5)
    notify_of(notifier, ask(marked, new_job(run_at=due_at)))
    await until_empty(marked, seconds=60)
    assert utc_now() >= due_at


@pytest.mark.usefixtures("worker")
async def test_hosts_are_not_rushed(marked: Database) -> None:
    started = time.monotonic()
    asked = ask(marked, *[new_job(host="a.example") for _ in range(4)])
    await until_empty(marked, seconds=60)
    assert time.monotonic() - started >= 3 * 0.1
    assert done_once(marked, asked)


@pytest.mark.usefixtures("worker")
async def test_a_child_that_is_killed_costs_one_attempt_and_the_worker_goes_on(marked: Database) -> None:
    [slow] = ask(marked, new_job(UUID("510" + uuid4().hex[3:])))
    await until(lambda: has_started(marked, slow), seconds=60)
    [started] = [one for one in read_marks(marked, "started") if one.subject_id == slow]
    os.kill(started.pid, signal.SIGKILL)
    await until_empty(marked, seconds=60)
    [done] = [one for one in read_marks(marked) if one.subject_id == slow]
    assert (started.attempt, done.attempt) == (1, 2)


async def test_a_worker_that_is_told_to_stop_finishes_what_it_runs(
    marked: Database, worker: "subprocess.Popen[bytes]"
) -> None:
    [slow] = ask(marked, new_job(UUID("510" + uuid4().hex[3:])))
    await until(lambda: has_started(marked, slow), seconds=60)
    worker.terminate()
    assert await asyncio.to_thread(worker.wait, 60) == 0
    assert done_once(marked, [slow])


@pytest.mark.long
async def test_a_job_that_kills_its_workers_ends_after_its_attempts(
    marked: Database, worker: "subprocess.Popen[bytes]", broker: str
) -> None:
    """It takes the whole group with it, every time, and ends as E_WORKER_LOST."""
    kill_celery(worker)
    [deadly] = ask(marked, new_job(UUID("dead" + uuid4().hex[4:])))
    for _ in range(3):
        with celery_worker(marked, broker, KEPT_LEASE_SECONDS="0.5") as process:
            await asyncio.to_thread(process.wait, 90)
    with celery_worker(marked, broker):
        await until_empty(marked, seconds=90)
    [done] = [one for one in read_marks(marked) if one.subject_id == deadly]
    assert done.note == FailureCode.WORKER_LOST


def has_started(database: Database, subject_id: UUID) -> bool:
    return any(one.subject_id == subject_id for one in read_marks(database, "started"))


# --- the notifier --------------------------------------------------------------------------------------------------


@pytest.mark.requirement("Kept", "lost messages lose nothing; an absent broker delays nobody")
async def test_with_the_broker_down_announcing_returns_at_once(caplog: pytest.LogCaptureFixture) -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"
    notifier = create_notifier(Settings(executor="celery", broker_url=url))
    started = time.monotonic()
    for _ in range(100):
        notifier.notify(JobKind.INGEST, uuid4())
    assert time.monotonic() - started < 0.5
    await until(lambda: complained(caplog), seconds=20)
    started = time.monotonic()
    notifier.close()
    assert time.monotonic() - started < 5
    assert sum("broker_away" in record.getMessage() for record in caplog.records) == 1


def complained(caplog: pytest.LogCaptureFixture) -> bool:
    return any("broker_away" in record.getMessage() for record in caplog.records)


async def test_an_announcer_survives_its_broker(broker: str) -> None:
    sender = Flaky(broker)
    notifier = BrokerNotifier(sender)
    notifier.notify(JobKind.INGEST, uuid4())
    await until(lambda: sender.failures == 1)

    async def arrives() -> bool:
        notifier.notify(JobKind.INGEST, uuid4())
        return sender.count_now() > 0

    await until(arrives)
    notifier.close()


class Flaky(WakeupSender):
    """The first wakeup meets a broken connection."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url, self.failures = url, 0

    def send(self, kind: JobKind, subject_id: UUID) -> None:
        if self.failures == 0:
            self.failures += 1
            raise ConnectionResetError
        super().send(kind, subject_id)

    def count_now(self) -> int:
        return int(redis.Redis.from_url(self.url).llen(Queue.INGEST.value))


def test_the_local_executor_needs_no_announcing() -> None:
    assert isinstance(create_notifier(Settings()), NullNotifier)


# --- sweeping ----------------------------------------------------------------------------------------------------


@pytest.fixture
async def sender(broker: str) -> AsyncIterator[WakeupSender]:
    redis.Redis.from_url(broker).flushall()
    sender = WakeupSender(broker)
    yield sender
    sender.close()


async def test_sweepers_do_not_flood_the_broker(database: Database, sender: WakeupSender) -> None:
    now = utc_now()
    ask(database, *[new_job(run_at=now - timedelta(seconds=5)) for _ in range(2 * MOST_WAKEUPS)])

    def sweep_at(seconds: float) -> int:
        return sweep(database, sender, lease_seconds=10, now=now + timedelta(seconds=seconds))

    assert sweep_at(0) == MOST_WAKEUPS
    assert [sweep_at(seconds) for seconds in (0.1, 5, 60)] == [0, 0, 0], "nobody takes the wakeups that are there"
    assert sender.count(Queue.INGEST) == MOST_WAKEUPS


def test_two_sweepers_share_the_due_rows(database: Database) -> None:
    now = utc_now()
    ask(database, *[new_job(run_at=now - timedelta(seconds=5)) for _ in range(10)])

    def stamp(seconds: float, limit: int = 6) -> int:
        with writing(database) as tx:
            moment = now + timedelta(seconds=seconds)
            return len(mark_for_wakeup(tx, Queue.INGEST, limit=limit, now=moment, lease_seconds=10))

    assert [stamp(0), stamp(0), stamp(1)] == [6, 4, 0]
    assert stamp(4, limit=100) == 10, "wakeups not taken in three seconds are taken for lost"


def test_no_more_are_marked_than_asked_for_by_whatever_plan(postgres_databases: PostgresDatabases) -> None:
    """Joined by nested loops, a subquery that skips locked rows is run again and again, each time past the last."""
    with postgres_databases.borrow() as url:
        database, now = Database(Settings(database_url=url).sqlalchemy_url), utc_now()
        ask(database, *[new_job(run_at=now - timedelta(seconds=5)) for _ in range(20)])
        with writing(database) as tx:
            for other in ("hashjoin", "mergejoin", "material", "hashagg"):
                tx.execute(text(f"SET LOCAL enable_{other} = off"))
            assert len(mark_for_wakeup(tx, Queue.INGEST, limit=6, now=now, lease_seconds=10)) == 6
        database.dispose()


def test_only_what_can_be_claimed_is_hinted_at(database: Database) -> None:
    now = utc_now()
    early, late = now - timedelta(seconds=5), now + timedelta(seconds=5)
    polite = [new_job(host="a.example", run_at=early, priority=Priority.IMPORT) for _ in range(5)]
    ask(database, *polite, new_job(run_at=late), new_job(kind=JobKind.RENDER, run_at=early))
    with writing(database) as tx:
        assert len(mark_for_wakeup(tx, Queue.INGEST, limit=100, now=now, lease_seconds=10)) == 1


# --- RabbitMQ, where it is installed -----------------------------------------------------------------------------


async def test_rabbitmq_carries_hints_too(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    make_marks(database)
    with run_rabbitmq() as broker:
        sender = WakeupSender(broker)
        assert sender.count(Queue.INGEST) == 0, "a queue nobody has declared is an empty one"
        notifier = create_notifier(Settings(executor="celery", broker_url=broker))
        with celery_worker(database, broker):
            asked = ask(database, *[new_job() for _ in range(10)], new_job(kind=JobKind.RENDER))
            notify_of(notifier, asked[:5])
            await until_empty(database, seconds=90)
        notifier.close()
        sender.close()
    assert done_once(database, asked)
    await database.close()
