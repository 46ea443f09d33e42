"""Try a page again because a person asked: it is extracting from now on, and a worker has a job with a fresh count.

The step is made here and not by the worker, so that the answer already shows it and of two people who ask at once
one gets the job and the other is told. `processing_attempts` counts claims of work, so it is the worker's to count.
"""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.job import JobKind, Priority
from kept.jobs.notifier import Notifier
from kept.services.ingesting.queue_retry import RetryRequest, queue_retry
from kept.services.pages.cards import SeenMedia, get_visible_media, view_media
from kept.storage.database.engine import Connection, Database


async def retry_media(
    database: Database, notifier: Notifier, viewer: Viewer, media_id: UUID, *, request_id: str | None, now: datetime
) -> SeenMedia:
    seen = await database.write(_retry, viewer, media_id, request_id, now)
    notifier.notify(JobKind.INGEST, seen.media.id)
    return seen


def _retry(tx: Connection, viewer: Viewer, media_id: UUID, request_id: str | None, now: datetime) -> SeenMedia:
    found = get_visible_media(tx, viewer, media_id)
    queue_retry(tx, found, RetryRequest(viewer.user_id, request_id, Priority.PERSON), now)
    return view_media(tx, viewer, get_visible_media(tx, viewer, found.id))
