"""What is in the queue, for `kept queue`, the metrics and the health page. Reads every row: not for a hot path."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select

from kept.domain.job import Depth, HostDepth, JobKind, JobState, LastFailure, Queue
from kept.storage.database.engine import Connection
from kept.storage.jobs.claiming import is_free
from kept.storage.tables import jobs, media

HOSTS_SHOWN = 10
FAILURES_SHOWN = 5


def state_at(now: datetime, lease_seconds: float) -> ColumnElement[Any]:
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
