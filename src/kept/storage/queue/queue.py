"""The queue: rows in `jobs`, written in the transaction of the work they stand for. Services call this.

At most one job of a kind for a subject. What a worker does with a job it holds is fenced by the lease token: a worker
that lost its lease gets `LeaseLost`, and its transaction, with everything it wrote, is rolled back.

Where a transaction also locks a media, lock the media first: workers do.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, case, delete, select, update

from kept.domain.job import QUEUE_OF, ClaimedJob, JobKind, LeaseLost, NewJob, Priority, Queue, QueuedJob
from kept.ids import new_id
from kept.storage.database.dialects import by_dialect, insert_for, notify
from kept.storage.database.engine import Connection
from kept.storage.queue import host_queues
from kept.storage.tables import jobs

CHANNEL: Final = "kept_jobs"  # the channel of PostgreSQL's NOTIFY

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
    .values({name: bindparam(name) for name in ("priority", "run_at", "host", "is_queued_behind", "published_at")})
)
BRING_FORWARD: Final = (
    update(jobs)
    .where(jobs.c.kind == bindparam("of_kind"), jobs.c.subject_id == bindparam("of_subject"))
    .where(jobs.c.host.is_(None), jobs.c.lease_token.is_(None))
    .values(run_at=case((jobs.c.run_at < bindparam("now"), jobs.c.run_at), else_=bindparam("now")), published_at=None)
)
# The condition for a job that this worker holds.
IS_HELD: Final = (jobs.c.id == bindparam("job_id"), jobs.c.lease_token == bindparam("token"))
LOCK_HELD: Final = select(jobs.c.id).where(*IS_HELD).with_for_update()
FINISH: Final = delete(jobs).where(*IS_HELD, jobs.c.wanted == bindparam("as_wanted"))
RELEASED: Final[dict[str, object]] = {"lease_until": None, "lease_token": None, "published_at": None}


def find_job(tx: Connection, kind: JobKind, subject_id: UUID, *, lock: bool = False) -> QueuedJob | None:
    row = tx.execute(LOCK_JOB if lock else FIND_JOB, {"of_kind": kind, "of_subject": subject_id}).first()
    if row is None:
        return None
    job = dict(zip(QueuedJob.__dataclass_fields__, row, strict=True))
    return QueuedJob(**{**job, "kind": JobKind(job["kind"]), "queue": Queue(job["queue"])})


def enqueue(tx: Connection, job: NewJob, *, now: datetime) -> None:
    """Queue a job. One that is queued already is brought forward, never put back; one that runs will run again."""
    # Most jobs are new. One for a host is not tried first: to learn whether it is queued behind locks the first job of
    # that host, and whoever holds that lock must not wait for another row, not even its own.
    is_asked = job.host is None and insert_job(tx, job, now=now)
    while not is_asked:
        existing = find_job(tx, job.kind, job.subject_id, lock=True)
        if existing is not None:
            ask_again(tx, existing, job, now=now)
        is_asked = existing is not None or insert_job(tx, job, now=now)
    notify_workers(tx, QUEUE_OF[job.kind])


def insert_job(tx: Connection, job: NewJob, *, now: datetime) -> bool:
    is_queued_behind = job.host is not None and host_queues.has_first(
        tx, job.kind, job.host, not_after=job.run_at, priority=job.priority
    )
    row = new_row(job, is_queued_behind=is_queued_behind, now=now)
    return tx.execute(INSERT_JOB[tx.dialect.name], row).rowcount == 1


def new_row(job: NewJob, *, is_queued_behind: bool, now: datetime) -> dict[str, object]:
    asked = {name: getattr(job, name) for name in NEW_JOB_FIELDS}
    asked["first_failure"] = job.first_failure.to_json() if job.first_failure else None
    start = {"queue": QUEUE_OF[job.kind], "attempt": 0, "wanted": 1, "is_queued_behind": is_queued_behind}
    return asked | RELEASED | start | {"id": new_id(), "enqueued_at": now}


def enqueue_new(tx: Connection, wanted: Sequence[NewJob], *, now: datetime) -> None:
    """Queue many jobs of one kind, for subjects made in this transaction, so that none can be queued yet.

    The first for each host becomes the first of its host queue if there is none.
    """
    if not wanted:
        return
    hosts = {job.host for job in wanted if job.host is not None}
    first_at = min(job.run_at for job in wanted)
    kind, priority = wanted[0].kind, wanted[0].priority
    with_first = host_queues.list_with_first(tx, kind, hosts, not_after=first_at, priority=priority)
    rows = []
    for job in wanted:
        rows.append(new_row(job, is_queued_behind=job.host in with_first, now=now))
        if job.host is not None:
            with_first.add(job.host)
    tx.execute(INSERT_JOBS, rows)
    notify_workers(tx, QUEUE_OF[kind])


def ask_again(tx: Connection, existing: QueuedJob, job: NewJob, *, now: datetime) -> None:
    if existing.lease_token is None:
        priority, run_at = min(existing.priority, job.priority), min(existing.run_at, job.run_at)
        reschedule(tx, existing, priority=priority, run_at=run_at, host=job.host, now=now)
    told = {"first_failure": job.first_failure.to_json()} if job.first_failure else {}
    tx.execute(update(jobs).where(jobs.c.id == existing.id).values(wanted=jobs.c.wanted + 1, **told))


def bring_forward(tx: Connection, kind: JobKind, subject_id: UUID, *, now: datetime, host: str | None) -> bool:
    """Make a queued job due now, to fetch from `host` if it still must. Return False if there is none, or it runs."""
    # Most jobs only wait for the save that queued them, and are in no host's queue.
    if host is None and tx.execute(BRING_FORWARD, {"of_kind": kind, "of_subject": subject_id, "now": now}).rowcount:
        notify_workers(tx, QUEUE_OF[kind])
        return True
    existing = find_job(tx, kind, subject_id, lock=True)
    if existing is None or existing.lease_token is not None:
        return False
    run_at = min(existing.run_at, now)
    reschedule(tx, existing, priority=existing.priority, run_at=run_at, host=host, now=now)
    notify_workers(tx, existing.queue)
    return True


def reschedule(
    tx: Connection, existing: QueuedJob, *, priority: int, run_at: datetime, host: str | None, now: datetime
) -> None:
    """Change a job that nobody runs, and keep the host queues valid that it leaves and joins."""
    is_queued_behind = (
        host is not None
        and (existing.is_queued_behind or existing.host != host)
        and host_queues.has_first(tx, existing.kind, host, not_after=run_at, priority=priority, besides=existing.id)
    )
    changed = {"priority": priority, "run_at": run_at, "host": host, "is_queued_behind": is_queued_behind}
    tx.execute(RESCHEDULE, changed | {"published_at": None, "job_id": existing.id})
    if existing.host not in (None, host) and not existing.is_queued_behind:
        host_queues.promote(tx, existing.kind, existing.host, now=now, not_before=now)


def cancel(tx: Connection, kind: JobKind, subject_id: UUID) -> None:
    """Delete a job. A worker that runs it finds its lease lost, and writes nothing."""
    statement = delete(jobs).where(jobs.c.kind == kind, jobs.c.subject_id == subject_id)
    row = tx.execute(statement.returning(jobs.c.host, jobs.c.is_queued_behind, jobs.c.run_at)).one_or_none()
    if row is not None and row.host is not None and not row.is_queued_behind:
        host_queues.promote(tx, kind, row.host, now=row.run_at, not_before=row.run_at)


def notify_workers(tx: Connection, queue: Queue) -> None:
    """Wake the workers when this commits. On SQLite they watch the file."""
    notify(tx, CHANNEL, queue.value)


# --- what a worker does with a job it holds ----------------------------------------------------------------------


def held(job: ClaimedJob) -> dict[str, object]:
    """Return the parameters of IS_HELD."""
    return {"job_id": job.id, "token": job.lease_token}


def renew(tx: Connection, job: ClaimedJob, *, now: datetime, lease_seconds: float) -> None:
    lease_until = now + timedelta(seconds=lease_seconds)
    change_held(tx, job, lease_until=lease_until)


def require_held(tx: Connection, job: ClaimedJob) -> None:
    """Lock a job for this worker until the transaction ends; raises LeaseLost if another has it."""
    if tx.execute(LOCK_HELD, held(job)).first() is None:
        raise LeaseLost


def renew_with_progress(tx: Connection, job: ClaimedJob, *, now: datetime, lease_seconds: float) -> None:
    """Renew the lease when a part of the work is written; a job that makes progress has all its attempts again."""
    change_held(tx, job, lease_until=now + timedelta(seconds=lease_seconds), attempt=1)


def finish(tx: Connection, job: ClaimedJob) -> None:
    """Finish a job, in the transaction that writes its result.

    If somebody queued it again after this worker looked, the job stays and runs once more.
    """
    deleted = tx.execute(FINISH, held(job) | {"as_wanted": job.wanted})
    if deleted.rowcount == 0:
        change_held(tx, job, attempt=0, **RELEASED)


def retry_later(
    tx: Connection, job: ClaimedJob, run_at: datetime, *, counts: bool = True, gives_way: bool = False
) -> None:
    """Give the job back until `run_at`. With `counts` false the claim was no attempt; with `gives_way` the job comes
    after those that somebody waits for."""
    attempt = job.attempt if counts else job.attempt - 1
    behind = {"priority": Priority.IMPORT} if gives_way else {}
    change_held(tx, job, run_at=run_at, attempt=attempt, **behind, **RELEASED)


def go_on_later(tx: Connection, job: ClaimedJob, run_at: datetime) -> None:
    """Give back a job of which a part is written; the rest begins with all its attempts."""
    change_held(tx, job, run_at=run_at, attempt=0, **RELEASED)


def change_held(tx: Connection, job: ClaimedJob, **values: object) -> None:
    if tx.execute(update(jobs).where(*IS_HELD).values(**values), held(job)).rowcount != 1:
        raise LeaseLost
