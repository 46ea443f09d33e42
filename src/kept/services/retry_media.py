"""Try a failed or blocked page again, because a person asks for it."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Conflict
from kept.domain.lifecycle import RETRYABLE
from kept.jobs import queue
from kept.jobs.queue import JobKind, NewJob, Priority, Queue
from kept.services.change_item import get_card
from kept.storage import events
from kept.storage.database import Database
from kept.urls.url import NormalisedUrl, parse_url


async def retry_item(
    database: Database, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> None:
    async with database.write() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        url = parse_url(card.media.source_url)
        if card.media.processing_status not in RETRYABLE or not isinstance(url, NormalisedUrl):
            raise Conflict("There is nothing to try again here.")
        job = NewJob(
            JobKind.INGEST, card.media.id, Queue.INGEST, url.host, Priority.PERSON, now, viewer.user_id, request_id
        )
        await queue.enqueue(tx, job, now=now)
        await events.tell_libraries(tx, card.media.id, "changed", now)
