"""The queue: rows in `jobs`, written in the transaction of the work they stand for. Services call this.

At most one job of a kind for a subject. What a worker does with a job it holds is fenced by the lease token: a worker
that lost its lease gets `LeaseLost`, and its transaction, with everything it wrote, is rolled back.

Where a transaction also locks a media, lock the media first: workers do.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from kept.domain.job import QUEUE_OF, ClaimedJob, JobKind, LeaseLost, NewJob, Priority, Queue, QueuedJob
from kept.ids import new_id
from kept.storage.database.dialects import by_dialect, insert_for
from kept.storage.database.engine import Connection
from kept.storage.jobs import host_queues as lines
from kept.storage.tables import jobs

__all__ = [
    "QUEUE_OF",
    "ClaimedJob",
    "JobKind",
    "LeaseLost",
    "NewJob",
    "Priority",
    "Queue",
    "QueuedJob",
    "bring_forward",
    "cancel",
    "enqueue",
    "enqueue_new",
    "find_job",
    "finish",
    "go_on_later",
    "renew",
    "renew_with_progress",
    "require_held",
    "retry_later",
]

CHANNEL: Final = "kept_jobs"  # of PostgreSQL's NOTIFY

INSERT_JOBS: Final = jobs.insert()
NEW_JOB_FIELDS: Final = tuple(NewJob.__dataclass_fields__)
COLUMNS: Final = tuple(jobs.c[name] for name in QueuedJob.__dataclass_fields__)
BY_SUBJECT: Final = select(*COLUMNS).where(
    jobs.c.kind == bindparam("of_kind"), jobs.c.subject_id == bindparam("of_subject")
)
# The statements of every save.
FIND_JOB: Final = BY_SUBJECT
LOCK_JOB: Final = BY_SUBJECT.with_for_update()
INSERT_JOB: Final = by_dialect(lambda dialect: insert_for(dialect, jobs).on_conflict_do_nothing())
RESCHEDULE: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values({name: bindparam(name) for name in ("priority", "run_at", "host", "waits", "published_at")})
)
RELEASED: Final[dict[str, Any]] = {"lease_until": None, "lease_token": None, "published_at": None}


def find_job(tx: Connection, kind: JobKind, subject_id: UUID, *, lock: bool = False) -> QueuedJob | None:
    row = tx.execute(LOCK_JOB if lock else FIND_JOB, {"of_kind": kind, "of_subject": subject_id}).first()
    if row is None:
        return None
    job = dict(zip(QueuedJob.__dataclass_fields__, row, strict=True))
    return QueuedJob(**{**job, "kind": JobKind(job["kind"]), "queue": Queue(job["queue"])})


def enqueue(tx: Connection, job: NewJob, *, now: datetime) -> None:
    """Ask for work. If it is queued already it is brought forward, never put back; if it runs, it will run again."""
    # Most jobs are new. One of a host is not tried first: to learn whether it waits locks the head of its line, and
    # whoever holds a head must not wait for another row, not even its own.
    is_asked = job.host is None and insert_job(tx, job, now=now)
    while not is_asked:
        existing = find_job(tx, job.kind, job.subject_id, lock=True)
        if existing is not None:
            ask_again(tx, existing, job, now=now)
        is_asked = existing is not None or insert_job(tx, job, now=now)
    ring(tx, job.queue)


def insert_job(tx: Connection, job: NewJob, *, now: datetime) -> bool:
    waits = job.host is not None and lines.has_head(tx, job.kind, job.host, not_after=job.run_at, priority=job.priority)
    return tx.execute(INSERT_JOB[tx.dialect.name], new_row(job, waits=waits, now=now)).rowcount == 1


def new_row(job: NewJob, *, waits: bool, now: datetime) -> dict[str, Any]:
    asked = {name: getattr(job, name) for name in NEW_JOB_FIELDS}
    return asked | RELEASED | {"id": new_id(), "attempt": 0, "enqueued_at": now, "waits": waits, "wanted": 1}


def enqueue_new(tx: Connection, wanted: Sequence[NewJob], *, now: datetime) -> None:
    """Ask for much at once: jobs of one kind, for subjects made in this transaction, so that none can be queued yet.

    The first of each host stands at the head of its line if nobody does.
    """
    if not wanted:
        return
    hosts = {job.host for job in wanted if job.host is not None}
    first_at = min(job.run_at for job in wanted)
    headed = lines.list_headed(tx, wanted[0].kind, hosts, not_after=first_at, priority=wanted[0].priority)
    rows = []
    for job in wanted:
        rows.append(new_row(job, waits=job.host in headed, now=now))
        if job.host is not None:
            headed.add(job.host)
    tx.execute(INSERT_JOBS, rows)
    ring(tx, wanted[0].queue)


def ask_again(tx: Connection, existing: QueuedJob, job: NewJob, *, now: datetime) -> None:
    if existing.lease_token is None:
        priority, run_at = min(existing.priority, job.priority), min(existing.run_at, job.run_at)
        reschedule(tx, existing, priority=priority, run_at=run_at, host=job.host, now=now)
    tx.execute(update(jobs).where(jobs.c.id == existing.id).values(wanted=jobs.c.wanted + 1))


def bring_forward(tx: Connection, kind: JobKind, subject_id: UUID, *, now: datetime, host: str | None) -> bool:
    """Make a queued job due now, to fetch from `host` if it still must. False if there is none, or it runs."""
    existing = find_job(tx, kind, subject_id, lock=True)
    if existing is None or existing.lease_token is not None:
        return False
    run_at = min(existing.run_at, now)
    reschedule(tx, existing, priority=existing.priority, run_at=run_at, host=host, now=now)
    ring(tx, existing.queue)
    return True


def reschedule(
    tx: Connection, existing: QueuedJob, *, priority: int, run_at: datetime, host: str | None, now: datetime
) -> None:
    """Change a job nobody runs, and keep the lines whole: the one it may leave, the one it may join."""
    waits = (
        host is not None
        and (existing.waits or existing.host != host)
        and lines.has_head(tx, existing.kind, host, not_after=run_at, priority=priority, besides=existing.id)
    )
    changed = {"priority": priority, "run_at": run_at, "host": host, "waits": waits, "published_at": None}
    tx.execute(RESCHEDULE, changed | {"job_id": existing.id})
    if existing.host not in (None, host) and not existing.waits:
        lines.promote(tx, existing.kind, existing.host, now=now, not_before=now)


def cancel(tx: Connection, kind: JobKind, subject_id: UUID) -> None:
    """Forget a job. A worker that runs it finds its lease lost, and writes nothing."""
    statement = delete(jobs).where(jobs.c.kind == kind, jobs.c.subject_id == subject_id)
    row = tx.execute(statement.returning(jobs.c.host, jobs.c.waits, jobs.c.run_at)).one_or_none()
    if row is not None and row.host is not None and not row.waits:
        lines.promote(tx, kind, row.host, now=row.run_at, not_before=row.run_at)


def ring(tx: Connection, queue: Queue) -> None:
    """Wake the workers when this commits. On SQLite they watch the file."""
    if tx.dialect.name == "postgresql":
        tx.execute(select(func.pg_notify(CHANNEL, queue.value)))


# --- what a worker does with a job it holds ----------------------------------------------------------------------


def held(job: ClaimedJob) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.id == job.id, jobs.c.lease_token == job.lease_token)


def renew(tx: Connection, job: ClaimedJob, *, now: datetime, lease_seconds: float) -> None:
    lease_until = now + timedelta(seconds=lease_seconds)
    change_held(tx, job, lease_until=lease_until)


def require_held(tx: Connection, job: ClaimedJob) -> None:
    """For what is written while the work goes on: the job stays this worker's until the transaction ends."""
    query = select(jobs.c.id).where(*held(job)).with_for_update()
    if tx.execute(query).first() is None:
        raise LeaseLost


def renew_with_progress(tx: Connection, job: ClaimedJob, *, now: datetime, lease_seconds: float) -> None:
    """In the transaction that writes a part of the work: as long as it gets on, a job has all its attempts."""
    change_held(tx, job, lease_until=now + timedelta(seconds=lease_seconds), attempt=1)


def finish(tx: Connection, job: ClaimedJob) -> None:
    """The work is done: call it in the transaction that writes its result.

    Somebody may have asked for it again after this worker looked; then the job stays, to be run once more.
    """
    deleted = tx.execute(delete(jobs).where(*held(job), jobs.c.wanted == job.wanted))
    if deleted.rowcount == 0:
        change_held(tx, job, attempt=0, **RELEASED)


def retry_later(tx: Connection, job: ClaimedJob, run_at: datetime, *, counts: bool = True) -> None:
    """Give the job back, to be claimed no sooner than that. `counts` false: this claim was no attempt at the work."""
    attempt = job.attempt if counts else job.attempt - 1
    change_held(tx, job, run_at=run_at, attempt=attempt, **RELEASED)


def go_on_later(tx: Connection, job: ClaimedJob, run_at: datetime) -> None:
    """Give back a job of which a part is done and written: the rest begins with all its attempts."""
    change_held(tx, job, run_at=run_at, attempt=0, **RELEASED)


def change_held(tx: Connection, job: ClaimedJob, **values: Any) -> None:
    if tx.execute(update(jobs).where(*held(job)).values(**values)).rowcount != 1:
        raise LeaseLost
