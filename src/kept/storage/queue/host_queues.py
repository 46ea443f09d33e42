"""Host queues: jobs of one kind that fetch from one host are queued behind each other; only the first can be claimed.

Ninety thousand jobs of one host are then one row in the index that claims look at, not ninety thousand to step over.

The rule that must never break: where jobs are queued behind, there is a first one (`is_queued_behind` false, not
leased). One too many costs a little time, one too few would hold up the host for ever; so whoever relies on a first
job locks it, and whoever finds it locked does not rely on it.
"""

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Executable, bindparam, case, exists, select, update

from kept.domain.job import JobKind, Priority
from kept.storage.database.engine import Connection
from kept.storage.tables import jobs

# Of one host and kind.
QUEUED_BEHIND: Final = (
    jobs.c.host == bindparam("of_host"),
    jobs.c.kind == bindparam("of_kind"),
    jobs.c.is_queued_behind,
)
HAS_QUEUED: Final = select(exists().where(*QUEUED_BEHIND))
EARLIEST: Final = (
    select(jobs.c.id)
    .where(*QUEUED_BEHIND, jobs.c.priority == bindparam("of_priority"))
    .order_by(jobs.c.run_at)
    .limit(1)
    .with_for_update(skip_locked=True)
)
LATER: Final = case((jobs.c.run_at < bindparam("not_before"), bindparam("not_before")), else_=jobs.c.run_at)
PROMOTE_EARLIEST: Final = (
    update(jobs)
    .where(jobs.c.id == EARLIEST.scalar_subquery())
    .values(is_queued_behind=False, run_at=LATER, published_at=None)
    .returning(jobs.c.run_at)
)


def is_first(kind: JobKind | BindParameter[str]) -> tuple[ColumnElement[bool], ...]:
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
    """Return whether there is a first job that runs by then and is no less urgent; it stays one until we commit."""
    values = {"of_kind": kind, "of_host": host, "not_after": not_after, "least": priority, "besides": besides}
    given = {name: value for name, value in values.items() if value is not None}
    return tx.execute(finding_first(frozenset(given)), given).first() is not None


@cache
def finding_first(given: frozenset[str]) -> Executable:
    conditions = {"least": jobs.c.priority <= bindparam("least"), "besides": jobs.c.id != bindparam("besides")}
    of_host = (jobs.c.host == bindparam("of_host"), jobs.c.run_at <= bindparam("not_after"))
    query = select(jobs.c.id).where(*is_first(bindparam("of_kind")), *of_host)
    query = query.where(*(condition for name, condition in conditions.items() if name in given))
    return query.limit(1).with_for_update(read=True, skip_locked=True)


def list_with_first(
    tx: Connection, kind: JobKind, hosts: Collection[str], *, not_after: datetime, priority: int
) -> set[str]:
    """Return those of the hosts for which `has_first` holds."""
    if not hosts:
        return set()
    first = (*is_first(kind), jobs.c.host.in_(hosts))
    query = select(jobs.c.host).where(*first, jobs.c.run_at <= not_after, jobs.c.priority <= priority)
    return set(tx.execute(query.with_for_update(read=True, skip_locked=True)).scalars())


def promote(tx: Connection, kind: JobKind, host: str, *, now: datetime, not_before: datetime) -> None:
    """Make the next job of a host its first one, if there is none by then.

    That is the earliest of the most urgent. If it is not due yet, a less urgent one is promoted too, so as not to wait.
    """
    is_needed = tx.scalar(HAS_QUEUED, {"of_host": host, "of_kind": kind})
    if not is_needed or has_first(tx, kind, host, not_after=not_before):
        return
    for priority in Priority:
        run_at = promote_earliest(tx, kind, host, priority, not_before=not_before)
        if run_at is not None and run_at <= max(now, not_before):
            return


def promote_earliest(
    tx: Connection, kind: JobKind, host: str, priority: Priority, *, not_before: datetime
) -> datetime | None:
    values = {"of_host": host, "of_kind": kind, "of_priority": priority, "not_before": not_before}
    run_at: datetime | None = tx.scalar(PROMOTE_EARLIEST, values)
    return run_at


def repair_host_queues(tx: Connection, *, now: datetime) -> int:
    """Give every host queue that lacks a first job one; that happens only if somebody deleted rows by hand."""
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
