"""Jobs for tests: asked for, run by handlers that leave a mark in the database, and waited for.

The mark is written in the transaction that finishes the job, as a service writes its article: what is in `done` was
done exactly as often as it is there.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import text

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.failures import FailureCode
from kept.domain.job import QUEUE_OF, ClaimedJob, JobKind, NewJob, Priority, Queue
from kept.jobs.running import Handler, Handlers
from kept.storage.database.engine import Database
from kept.storage.queue import claiming, queue
from kept.storage.queue.claiming import Claiming
from support.fixtures.transactions import reading, writing
from support.fixtures.waiting import until
from support.servers.commands import clean_environment

TESTS = Path(__file__).parents[2]
RULES = Claiming(lease_seconds=60, host_gap_seconds=0, host_concurrency=10)


def make_marks(database: Database) -> None:
    with writing(database) as tx:
        for table in ("started", "done"):
            tx.execute(text(f"CREATE TABLE {table} (subject_id TEXT, attempt INTEGER, pid INTEGER, note TEXT)"))


def mark(database: Database, table: str, job: ClaimedJob, note: str = "", *, finish: bool = False) -> None:
    with writing(database) as tx:
        statement = text(f"INSERT INTO {table} VALUES (:subject_id, :attempt, :pid, :note)")
        values = {"subject_id": job.subject_id.hex, "attempt": job.attempt, "pid": os.getpid(), "note": note}
        tx.execute(statement, values)
        if finish:
            queue.finish(tx, job)


@dataclass(frozen=True)
class Mark:
    subject_id: UUID
    attempt: int
    pid: int
    note: str


def read_marks(database: Database, table: str = "done") -> list[Mark]:
    with reading(database) as tx:
        rows = tx.execute(text(f"SELECT subject_id, attempt, pid, note FROM {table}")).all()
    return [Mark(UUID(row[0]), row[1], row[2], row[3]) for row in rows]


def count_jobs(database: Database) -> int:
    with reading(database) as tx:
        return int(tx.execute(text("SELECT count(*) FROM jobs")).scalar_one())


def make_handlers(database: Database, *, work_seconds: float = 0.0) -> Handlers:
    """Work that takes a while; a subject whose id begins with 510 takes longer, with dead it kills its worker."""

    async def run(job: ClaimedJob) -> None:
        mark(database, "started", job)
        if job.subject_id.hex.startswith("dead"):
            os.killpg(0, signal.SIGKILL)
        await asyncio.sleep(1.5 if job.subject_id.hex.startswith("510") else work_seconds)
        mark(database, "done", job, finish=True)

    async def on_exhausted(job: ClaimedJob, code: FailureCode, message: str) -> None:
        mark(database, "done", job, code, finish=True)

    return {kind: Handler(run, on_exhausted) for kind in JobKind}


@asynccontextmanager
async def open_test_handlers(settings: Settings, database: Database) -> AsyncIterator[Handlers]:
    yield make_handlers(database, work_seconds=float(os.environ.get("WORK_SECONDS", "0")))


def new_job(
    subject_id: UUID | None = None,
    *,
    kind: JobKind = JobKind.INGEST,
    host: str | None = None,
    priority: Priority = Priority.PERSON,
    run_at: datetime | None = None,
) -> NewJob:
    return NewJob(kind, subject_id or uuid4(), host, priority, run_at or utc_now(), None, "request-1")


def ask(database: Database, *wanted: NewJob) -> list[UUID]:
    with writing(database) as tx:
        for job in wanted:
            queue.enqueue(tx, job, now=utc_now())
    return [job.subject_id for job in wanted]


def claim_job(database: Database, wanted: NewJob) -> ClaimedJob:
    """Ask for this work, and hold it as a worker does."""
    ask(database, wanted)
    with writing(database) as tx:
        while (job := claiming.claim(tx, QUEUE_OF[wanted.kind], [wanted.kind], now=utc_now(), rules=RULES)) is not None:
            if isinstance(job, ClaimedJob) and job.subject_id == wanted.subject_id:
                return job
    raise AssertionError(f"{wanted} could not be claimed")


async def until_empty(database: Database, *, seconds: float = 30) -> None:
    await until(lambda: count_jobs(database) == 0, seconds=seconds, what="an empty queue")


# --- worker processes --------------------------------------------------------------------------------------------


def environment(database_url: str, **variables: str) -> dict[str, str]:
    chosen = {"KEPT_DATABASE_URL": database_url, "KEPT_LOG_LEVEL": "warning", "PYTHONPATH": str(TESTS)}
    return clean_environment() | chosen | variables


def start_worker(database_url: str, **variables: str) -> "subprocess.Popen[bytes]":
    """In a session of its own: its process group is its pid."""
    command = [sys.executable, "-m", "support.servers.job_worker"]
    return subprocess.Popen(command, env=environment(database_url, **variables), start_new_session=True)


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def workers(number: int, database_url: str, **variables: str) -> Iterator[list["subprocess.Popen[bytes]"]]:
    started = [start_worker(database_url, **variables) for _ in range(number)]
    try:
        yield started
    finally:
        for process in started:
            kill_group(process)


QUEUES = tuple(Queue)
