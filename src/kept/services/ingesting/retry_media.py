"""Try a page again because a person asked: it is extracting from now on, and a worker has a job with a fresh count.

The step is made here and not by the worker, so that the answer already shows it and of two people who ask at once
one gets the job and the other is told. `processing_attempts` counts claims of work, so it is the worker's to count.
"""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Conflict
from kept.domain.history import ASKED_BY
from kept.domain.lifecycle import RETRYABLE, ProcessingStatus
from kept.domain.media import Media
from kept.storage.jobs import queue
from kept.jobs.notifier import Notifier
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.services.reading.read_media import SeenMedia, get_visible_media, see
from kept.storage import events, lifecycles
from kept.storage.database.engine import Database
from kept.urls.url import NormalisedUrl, parse_url


async def retry_media(
    database: Database,
    notifier: Notifier,
    viewer: Viewer,
    media_id: UUID,
    *,
    request_id: str | None,
    now: datetime,
) -> SeenMedia:
    async with database.write() as tx:
        found = await get_visible_media(tx, viewer, media_id)
        job = retry_job(found, viewer, request_id, now)
        history = {"message": "Another attempt was asked for.", ASKED_BY: str(viewer.user_id)}
        await lifecycles.apply_move(tx, found.standing, ProcessingStatus.EXTRACTING, at=now, history=history)
        await queue.cancel(tx, JobKind.INGEST, found.id)  # one that waits has its attempts behind it
        await queue.enqueue(tx, job, now=now)
        await events.tell_libraries(tx, found.id, "changed", now)
        seen = await see(tx, viewer, await get_visible_media(tx, viewer, found.id))
    notifier.notify(JobKind.INGEST, found.id)
    return seen


def retry_job(found: Media, viewer: Viewer, request_id: str | None, now: datetime) -> NewJob:
    url = parse_url(found.source_url)
    if found.processing_status not in RETRYABLE or not isinstance(url, NormalisedUrl):
        raise Conflict(f"There is nothing to try again: the page is {found.processing_status}.")
    return NewJob(
        kind=JobKind.INGEST,
        subject_id=found.id,
        host=url.host,
        priority=Priority.PERSON,
        run_at=now,
        actor_user_id=viewer.user_id,
        request_id=request_id,
    )
