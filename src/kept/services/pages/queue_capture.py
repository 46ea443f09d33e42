"""Ask for a copy of the whole page. For a unit of work."""

from datetime import datetime
from uuid import UUID

from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.media import Media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import get_url


def queue_capture(
    tx: Connection, found: Media, user_id: UUID | None, *, request_id: str | None, priority: Priority, now: datetime
) -> None:
    host = get_url(found.canonical_url or found.source_url).host
    job = NewJob(JobKind.CAPTURE, found.id, host, priority, now, user_id, request_id)
    queue.enqueue(tx, job, now=now)
