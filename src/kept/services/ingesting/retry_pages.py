"""Try pages again because whoever runs the server asked: one by one, so that a thousand do not hold up a save."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from kept.domain.errors import Conflict
from kept.domain.lifecycle import RETRYABLE, ProcessingStatus
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.tables import items
from kept.storage.tables import media as media_table
from kept.urls.url import NormalisedUrl, parse_url


async def retry_pages(database: Database, media_id: UUID, *, now: datetime) -> None:
    """One page: extracting from now on, with a fresh count. Conflict where there is nothing to try again."""
    async with database.write() as tx:
        found = await media.find_media(tx, media_id, lock=True)
        url = parse_url(found.source_url) if found else None
        if found is None or found.processing_status not in RETRYABLE or not isinstance(url, NormalisedUrl):
            raise Conflict(f"There is nothing to try again for {media_id}.")
        history = {"message": "Another attempt was asked for."}
        await lifecycles.apply_move(tx, found.standing, ProcessingStatus.EXTRACTING, at=now, history=history)
        await queue.cancel(tx, JobKind.INGEST, found.id)
        # Behind people who wait: nobody waits for these.
        job = NewJob(JobKind.INGEST, found.id, url.host, Priority.IMPORT, now, None, None)
        await queue.enqueue(tx, job, now=now)
        await events.tell_libraries(tx, found.id, "changed", now)


async def list_failed_pages(tx: AsyncConnection, code: str | None) -> list[UUID]:
    """Oldest failure first."""
    query = select(media_table.c.id).where(media_table.c.processing_status.in_(RETRYABLE))
    if code is not None:
        query = query.where(media_table.c.failure_code == code)
    return list((await tx.execute(query.order_by(media_table.c.failed_at))).scalars())


async def find_page(tx: AsyncConnection, page_or_item_id: UUID) -> UUID:
    """People copy an item's id from an address bar as often as a media's."""
    query = select(items.c.media_id).where(items.c.id == page_or_item_id)
    return (await tx.execute(query)).scalar_one_or_none() or page_or_item_id
