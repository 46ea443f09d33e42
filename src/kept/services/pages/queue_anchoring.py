"""Ask a worker to find the places of a media's highlights in its article. Called in the transaction that stored the
article, moved highlights to the media or imported them."""

from datetime import datetime
from uuid import UUID

from kept.domain.job import JobKind, NewJob, Priority
from kept.storage import articles, highlights
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def queue_anchoring(tx: Connection, media_id: UUID, *, now: datetime) -> bool:
    """False where nothing is to be found, or there is no article yet: whoever stores it asks again."""
    version = articles.find_canonical_version(tx, media_id)
    if version is None or not highlights.has_unanchored(tx, media_id, version):
        return False
    job = NewJob(JobKind.ANCHOR_HIGHLIGHTS, media_id, None, Priority.PERSON, now, None, None)
    queue.enqueue(tx, job, now=now)
    return True
