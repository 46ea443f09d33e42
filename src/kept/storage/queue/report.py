"""The queue in numbers: jobs by state, and wake-ups that wait on the broker."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, func, or_, select, update

from kept.domain.job import Depth, HostDepth, JobKind, JobState, LastFailure, Queue
from kept.storage.database.engine import Connection
from kept.storage.queue.claiming import is_free, trust_indexes
from kept.storage.tables import jobs, media

HOSTS_SHOWN = 10
FAILURES_SHOWN = 5
# The wakeup of a job that was just queued is still on its way.
PATIENCE: Final = timedelta(seconds=0.5)
# A wakeup that was not taken after this long counts as lost.
REPEAT_AFTER: Final = timedelta(seconds=3)


def state_at(now: datetime, lease_seconds: float) -> ColumnElement[Any]:
    """Return the expression for a job's state. The queries with it read every row, so they are not for a hot path."""
    return case(
        (and_(jobs.c.lease_until.is_not(None), ~is_free(now, lease_seconds)), JobState.IN_FLIGHT),
        (jobs.c.is_queued_behind, JobState.WAITING),
        (jobs.c.run_at <= now, JobState.DUE),
        else_=JobState.DELAYED,
    )


def count_jobs(tx: Connection, *, now: datetime, lease_seconds: float) -> list[Depth]:
    state = state_at(now, lease_seconds).label("state")
    query = (
        select(jobs.c.queue, jobs.c.kind, state, func.count(), func.min(jobs.c.run_at))
        .group_by(jobs.c.queue, jobs.c.kind, state)
        .order_by(jobs.c.queue, jobs.c.kind, state)
    )
    return [
        Depth(Queue(queue), JobKind(kind), JobState(state), number, oldest)
        for queue, kind, state, number, oldest in tx.execute(query)
    ]


def count_hosts(tx: Connection) -> list[HostDepth]:
    number = func.count().label("number")
    query = (
        select(jobs.c.host, number)
        .where(jobs.c.host.is_not(None))
        .group_by(jobs.c.host)
        .order_by(number.desc(), jobs.c.host)
        .limit(HOSTS_SHOWN)
    )
    return [HostDepth(host, number) for host, number in tx.execute(query)]


def list_last_failures(tx: Connection) -> list[LastFailure]:
    query = (
        select(media.c.id, media.c.failure_code, media.c.failure_message, media.c.failed_at)
        .where(media.c.failed_at.is_not(None), media.c.failure_code.is_not(None))
        .order_by(media.c.failed_at.desc())
        .limit(FAILURES_SHOWN)
    )
    return [
        LastFailure(str(media_id), code, message or "", failed_at)
        for media_id, code, message, failed_at in tx.execute(query)
    ]


def mark_for_wakeup(
    tx: Connection, queue: Queue, *, limit: int, now: datetime, lease_seconds: float
) -> list[tuple[JobKind, UUID]]:
    """Return the kinds and subjects of due jobs whose wakeup was lost on the broker, for the caller to send again.

    They are marked, so that several sweepers do not all send one.
    """
    trust_indexes(tx)
    not_sent = or_(jobs.c.published_at.is_(None), jobs.c.published_at <= now - REPEAT_AFTER, jobs.c.published_at > now)
    claimable = (jobs.c.queue == queue, ~jobs.c.is_queued_behind, is_free(now, lease_seconds))
    due = (
        select(jobs.c.id)
        .where(*claimable, jobs.c.run_at <= now - PATIENCE, not_sent)
        .order_by(jobs.c.priority, jobs.c.run_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    # This is not one statement: PostgreSQL may run such a subquery for each row, each time past those just locked.
    job_ids = tx.execute(due).scalars().all()
    statement = update(jobs).where(jobs.c.id.in_(job_ids)).values(published_at=now)
    rows = tx.execute(statement.returning(jobs.c.kind, jobs.c.subject_id))
    return [(JobKind(kind), subject_id) for kind, subject_id in rows]
