"""Lines: jobs of one kind that must fetch from one host stand behind each other, and only the first can be claimed.

Ninety thousand jobs of one host are then one row in the index that claims look at, not ninety thousand to step over.

The rule that must never break: where jobs wait, one stands at the head (`waits` false, not leased). Two heads too many
cost a little time, one too few would hold the line up for ever; so whoever relies on a head locks it, and whoever
finds it locked does not rely on it.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, case, func, select, update

from kept.domain.job import JobKind, Priority
from kept.storage.database.engine import Connection
from kept.storage.tables import jobs


def is_head(kind: JobKind, host: str) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.host == host, jobs.c.kind == kind, ~jobs.c.waits, jobs.c.lease_token.is_(None))


def has_head(
    tx: Connection,
    kind: JobKind,
    host: str,
    *,
    not_after: datetime,
    priority: int | None = None,
    besides: UUID | None = None,
) -> bool:
    """Is there a head that runs no later than that, and is no less urgent? It stays one until the transaction ends."""
    query = select(jobs.c.id).where(*is_head(kind, host), jobs.c.run_at <= not_after)
    if priority is not None:
        query = query.where(jobs.c.priority <= priority)
    if besides is not None:
        query = query.where(jobs.c.id != besides)
    return tx.execute(query.limit(1).with_for_update(read=True, skip_locked=True)).first() is not None


def list_headed(
    tx: Connection, kind: JobKind, hosts: Collection[str], *, not_after: datetime, priority: int
) -> set[str]:
    """`has_head` for many hosts at once."""
    if not hosts:
        return set()
    standing = (jobs.c.kind == kind, ~jobs.c.waits, jobs.c.lease_token.is_(None), jobs.c.host.in_(hosts))
    query = select(jobs.c.host).where(*standing, jobs.c.run_at <= not_after, jobs.c.priority <= priority)
    return set(tx.execute(query.with_for_update(read=True, skip_locked=True)).scalars())


def promote(tx: Connection, kind: JobKind, host: str, *, now: datetime, not_before: datetime) -> None:
    """Let the next in line step forward, if nobody stands at the head by then.

    The earliest of the most urgent; if it is not due yet it must not hold up the less urgent, so theirs steps too.
    """
    if has_head(tx, kind, host, not_after=not_before):
        return
    for priority in Priority:
        run_at = step_forward(tx, kind, host, priority, not_before=not_before)
        if run_at is not None and run_at <= max(now, not_before):
            return


def step_forward(
    tx: Connection, kind: JobKind, host: str, priority: Priority, *, not_before: datetime
) -> datetime | None:
    first = (
        select(jobs.c.id)
        .where(jobs.c.host == host, jobs.c.kind == kind, jobs.c.waits, jobs.c.priority == priority)
        .order_by(jobs.c.run_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    later = case((jobs.c.run_at < not_before, not_before), else_=jobs.c.run_at)
    statement = (
        update(jobs)
        .where(jobs.c.id == first.scalar_subquery())
        .values(waits=False, run_at=later, published_at=None)
        .returning(jobs.c.run_at)
    )
    run_at: datetime | None = tx.scalar(statement)
    return run_at


def repair_lines(tx: Connection, *, now: datetime) -> int:
    """Give every line without a head one. There are none, unless somebody deleted rows by hand."""
    lines = select(jobs.c.kind, jobs.c.host).where(jobs.c.waits).group_by(jobs.c.kind, jobs.c.host)
    heads = (
        select(jobs.c.kind, jobs.c.host, func.count())
        .where(~jobs.c.waits, jobs.c.lease_token.is_(None), jobs.c.host.is_not(None))
        .group_by(jobs.c.kind, jobs.c.host)
    )
    headless = {tuple(row) for row in tx.execute(lines)} - {(row[0], row[1]) for row in tx.execute(heads)}
    for kind, host in headless:
        promote(tx, JobKind(kind), host, now=now, not_before=now)
    return len(headless)
