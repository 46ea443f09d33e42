"""Queue pages that are pending though no job will ever come for them.

A process of an older version leaves them where the server saves cards only; it may go on for a while after an upgrade.
Their job decides what becomes of them: an article, or a card only.
"""

from datetime import datetime, timedelta
from typing import Final

from kept.domain.job import JobKind, NewJob, Priority
from kept.storage import media
from kept.storage.database.engine import Connection, Database
from kept.storage.jobs import queue
from kept.urls.url import NormalisedUrl, parse_url

# Far longer than a save takes to queue what it has saved.
GRACE: Final = timedelta(minutes=5)
BATCH: Final = 100


async def queue_forgotten_pages(database: Database, *, now: datetime) -> int:
    """How many there were."""
    done = 0
    while queued := await database.write(_queue_some, now):
        done += queued
    return done


def _queue_some(tx: Connection, now: datetime) -> int:
    found = media.lock_forgotten(tx, JobKind.INGEST, before=now - GRACE, limit=BATCH)
    for media_id, source_url in found:
        url = parse_url(source_url)
        host = url.host if isinstance(url, NormalisedUrl) else None
        queue.enqueue(tx, NewJob(JobKind.INGEST, media_id, host, Priority.IMPORT, now, None, None), now=now)
    return len(found)
