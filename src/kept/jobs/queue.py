"""Jobs as rows: at most one of a kind for a media, inserted in the transaction of the work they stand for."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from uuid import UUID

from sqlalchemy import delete, update

from kept.storage.columns import new_id
from kept.storage.database import AsyncConnection
from kept.storage.media import upsert
from kept.storage.tables import jobs


class JobKind(StrEnum):
    INGEST = "ingest"
    RENDER = "render"
    STORE_IMAGES = "store_images"


class Queue(StrEnum):
    INGEST = "ingest"
    RENDER = "render"


class Priority(IntEnum):
    PERSON = 0
    IMPORT = 10


@dataclass(frozen=True, slots=True)
class NewJob:
    kind: JobKind
    subject_id: UUID
    queue: Queue
    host: str | None
    priority: Priority
    run_at: datetime
    actor_user_id: UUID | None
    request_id: str | None


async def enqueue(tx: AsyncConnection, job: NewJob, *, now: datetime) -> None:
    insert = upsert(tx, jobs).values(
        id=new_id(),
        kind=job.kind,
        subject_id=job.subject_id,
        queue=job.queue,
        host=job.host,
        priority=job.priority,
        attempt=0,
        run_at=job.run_at,
        actor_user_id=job.actor_user_id,
        request_id=job.request_id,
        enqueued_at=now,
    )
    await tx.execute(insert.on_conflict_do_nothing())


async def cancel(tx: AsyncConnection, kind: JobKind, subject_id: UUID) -> None:
    await tx.execute(delete(jobs).where(jobs.c.kind == kind, jobs.c.subject_id == subject_id))


async def bring_forward(
    tx: AsyncConnection, kind: JobKind, subject_id: UUID, *, now: datetime, must_fetch: bool
) -> bool:
    values: dict[str, object] = {"run_at": now}
    if not must_fetch:
        values["host"] = None
    statement = update(jobs).where(jobs.c.kind == kind, jobs.c.subject_id == subject_id, jobs.c.run_at > now)
    return bool((await tx.execute(statement.values(**values))).rowcount == 1)
