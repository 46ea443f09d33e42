"""Due jobs whose wakeup was lost on the broker: found, and marked so that several sweepers do not all send one."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import or_, select, update

from kept.domain.job import JobKind, Queue
from kept.storage.database.engine import Connection
from kept.storage.jobs.claiming import is_free, trust_indexes
from kept.storage.tables import jobs

# The wakeup of a job just asked for is on its way.
PATIENCE: Final = timedelta(seconds=0.5)
# A wakeup not taken after this long is taken for lost.
REPEAT_AFTER: Final = timedelta(seconds=3)


def mark_for_wakeup(
    tx: Connection, queue: Queue, *, limit: int, now: datetime, lease_seconds: float
) -> list[tuple[JobKind, UUID]]:
    """Kinds and subjects of due jobs that no wakeup led to; who marks them sends it."""
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
    # Not in one statement: PostgreSQL may run such a subquery once for each row, each time past those just locked.
    job_ids = tx.execute(due).scalars().all()
    statement = update(jobs).where(jobs.c.id.in_(job_ids)).values(published_at=now)
    rows = tx.execute(statement.returning(jobs.c.kind, jobs.c.subject_id))
    return [(JobKind(kind), subject_id) for kind, subject_id in rows]
