"""Lines: jobs of one kind that must fetch from one host stand behind each other, and only the first can be claimed.

Ninety thousand jobs of one host are then one row in the index that claims look at, not ninety thousand to step over.

The rule that must never break: where jobs wait, one stands at the head (`waits` false, not leased). Two heads too many
cost a little time, one too few would hold the line up for ever; so whoever relies on a head locks it, and whoever
finds it locked does not rely on it.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, case, func, select, update

from kept.jobs.job import JobKind
from kept.storage.database import AsyncConnection
from kept.storage.tables import jobs


def is_head(kind: JobKind, host: str) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.host == host, jobs.c.kind == kind, ~jobs.c.waits, jobs.c.lease_token.is_(None))


def stands_in_line(kind: JobKind, host: str) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.host == host, jobs.c.kind == kind, jobs.c.waits)


async def has_head(
    tx: AsyncConnection,
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
    return (await tx.execute(query.limit(1).with_for_update(read=True, skip_locked=True))).first() is not None


async def promote(tx: AsyncConnection, kind: JobKind, host: str, *, now: datetime, not_before: datetime) -> None:
    """Let the next in line step forward, if nobody stands at the head by then."""
    if await has_head(tx, kind, host, not_after=not_before):
        return
    line = select(jobs.c.id).where(*stands_in_line(kind, host)).limit(1).with_for_update(skip_locked=True)
    due = line.where(jobs.c.run_at <= now).order_by(jobs.c.priority, jobs.c.run_at)
    if not await step_forward(tx, due.scalar_subquery(), not_before):
        await step_forward(tx, line.order_by(jobs.c.run_at).scalar_subquery(), not_before)


async def step_forward(tx: AsyncConnection, job_id: ColumnElement[UUID], not_before: datetime) -> bool:
    later = case((jobs.c.run_at < not_before, not_before), else_=jobs.c.run_at)
    statement = update(jobs).where(jobs.c.id == job_id).values(waits=False, run_at=later, published_at=None)
    return (await tx.execute(statement)).rowcount == 1


async def repair_lines(tx: AsyncConnection, *, now: datetime) -> int:
    """Give every line without a head one. There are none, unless somebody deleted rows by hand."""
    lines = select(jobs.c.kind, jobs.c.host).where(jobs.c.waits).group_by(jobs.c.kind, jobs.c.host)
    heads = (
        select(jobs.c.kind, jobs.c.host, func.count())
        .where(~jobs.c.waits, jobs.c.lease_token.is_(None), jobs.c.host.is_not(None))
        .group_by(jobs.c.kind, jobs.c.host)
    )
    headless = {tuple(row) for row in await tx.execute(lines)} - {(row[0], row[1]) for row in await tx.execute(heads)}
    for kind, host in headless:
        await promote(tx, JobKind(kind), host, now=now, not_before=now)
    return len(headless)
