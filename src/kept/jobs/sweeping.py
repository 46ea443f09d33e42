"""The sweep: due rows that no hint led to are hinted at again, by Celery's workers. Losing every message loses nothing.

Several sweepers do not flood the broker: a row is stamped by whoever hints at it, and nobody adds to hints that are
not being taken.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import or_, select, update

from kept.jobs.broker import HintSender
from kept.storage.jobs.claiming import is_free, trust_indexes
from kept.domain.job import JobKind, Queue
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.tables import jobs

SWEEP_SECONDS: Final = 1.0
# The hint of a job just asked for is on its way.
PATIENCE: Final = timedelta(seconds=0.5)
# A hint not taken after this long is taken for lost.
REPEAT_AFTER: Final = timedelta(seconds=3)
MOST_HINTS: Final = 100


async def sweep(database: Database, sender: HintSender, *, lease_seconds: float, now: Callable[[], datetime]) -> int:
    """Hints at what is due; returns at how many."""
    hinted = 0
    for queue in Queue:
        room = MOST_HINTS - sender.count(queue)
        if room <= 0:
            continue
        async with database.write() as tx:
            found = await stamp_due(tx, queue, limit=room, now=now(), lease_seconds=lease_seconds)
        for kind, subject_id in found:
            sender.send(kind, queue, subject_id)
        hinted += len(found)
    return hinted


async def stamp_due(
    tx: AsyncConnection, queue: Queue, *, limit: int, now: datetime, lease_seconds: float
) -> list[tuple[JobKind, UUID]]:
    await trust_indexes(tx)
    not_hinted = or_(
        jobs.c.published_at.is_(None), jobs.c.published_at <= now - REPEAT_AFTER, jobs.c.published_at > now
    )
    due = (
        select(jobs.c.id)
        .where(jobs.c.queue == queue, ~jobs.c.waits, jobs.c.run_at <= now - PATIENCE, is_free(now, lease_seconds))
        .where(not_hinted)
        .order_by(jobs.c.priority, jobs.c.run_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    statement = update(jobs).where(jobs.c.id.in_(due.scalar_subquery())).values(published_at=now)
    rows = await tx.execute(statement.returning(jobs.c.kind, jobs.c.subject_id))
    return [(JobKind(kind), subject_id) for kind, subject_id in rows]
