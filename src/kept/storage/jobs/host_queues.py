"""Host queues: jobs of one kind that fetch from one host are queued behind each other; only the first can be claimed.

Ninety thousand jobs of one host are then one row in the index that claims look at, not ninety thousand to step over.

The rule that must never break: where jobs are queued behind, there is a first one (`is_queued_behind` false, not
leased). One too many costs a little time, one too few would hold up the host for ever; so whoever relies on a first
job locks it, and whoever finds it locked does not rely on it.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, case, select, update

from kept.domain.job import JobKind, Priority
from kept.storage.database.engine import Connection
from kept.storage.tables import jobs


def is_first(kind: JobKind) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.kind == kind, ~jobs.c.is_queued_behind, jobs.c.lease_token.is_(None))


def has_first(
    tx: Connection,
    kind: JobKind,
    host: str,
    *,
    not_after: datetime,
    priority: int | None = None,
    besides: UUID | None = None,
) -> bool:
    """Is there a first job that runs no later than that, and is no less urgent? It stays one until we commit."""
    query = select(jobs.c.id).where(*is_first(kind), jobs.c.host == host, jobs.c.run_at <= not_after)
    if priority is not None:
        query = query.where(jobs.c.priority <= priority)
    if besides is not None:
        query = query.where(jobs.c.id != besides)
    return tx.execute(query.limit(1).with_for_update(read=True, skip_locked=True)).first() is not None


def list_with_first(
    tx: Connection, kind: JobKind, hosts: Collection[str], *, not_after: datetime, priority: int
) -> set[str]:
    """`has_first` for many hosts at once."""
    if not hosts:
        return set()
    first = (*is_first(kind), jobs.c.host.in_(hosts))
    query = select(jobs.c.host).where(*first, jobs.c.run_at <= not_after, jobs.c.priority <= priority)
    return set(tx.execute(query.with_for_update(read=True, skip_locked=True)).scalars())


def promote(tx: Connection, kind: JobKind, host: str, *, now: datetime, not_before: datetime) -> None:
    """Make the next job of a host its first one, if there is none by then.

    The earliest of the most urgent; if it is not due yet it must not hold up the less urgent, so one of those too.
    """
    if has_first(tx, kind, host, not_after=not_before):
        return
    for priority in Priority:
        run_at = promote_earliest(tx, kind, host, priority, not_before=not_before)
        if run_at is not None and run_at <= max(now, not_before):
            return


def promote_earliest(
    tx: Connection, kind: JobKind, host: str, priority: Priority, *, not_before: datetime
) -> datetime | None:
    earliest = (
        select(jobs.c.id)
        .where(jobs.c.host == host, jobs.c.kind == kind, jobs.c.is_queued_behind, jobs.c.priority == priority)
        .order_by(jobs.c.run_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    later = case((jobs.c.run_at < not_before, not_before), else_=jobs.c.run_at)
    statement = (
        update(jobs)
        .where(jobs.c.id == earliest.scalar_subquery())
        .values(is_queued_behind=False, run_at=later, published_at=None)
        .returning(jobs.c.run_at)
    )
    run_at: datetime | None = tx.scalar(statement)
    return run_at


def repair_host_queues(tx: Connection, *, now: datetime) -> int:
    """Give every host queue without a first job one. There are none, unless somebody deleted rows by hand."""
    queued = select(jobs.c.kind, jobs.c.host).where(jobs.c.is_queued_behind).group_by(jobs.c.kind, jobs.c.host)
    first = (
        select(jobs.c.kind, jobs.c.host)
        .where(~jobs.c.is_queued_behind, jobs.c.lease_token.is_(None), jobs.c.host.is_not(None))
        .group_by(jobs.c.kind, jobs.c.host)
    )
    broken = {tuple(row) for row in tx.execute(queued)} - {tuple(row) for row in tx.execute(first)}
    for kind, host in broken:
        promote(tx, JobKind(kind), host, now=now, not_before=now)
    return len(broken)
