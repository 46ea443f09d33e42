"""Work that comes of a job, as urgent as it was, under the same request."""

from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority
from kept.domain.media import Media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import get_url

# An image has a host of its own; the gate sees to politeness there.
WITHOUT_HOST: Final = frozenset({JobKind.STORE_IMAGES})


def queue_follow_up(
    tx: Connection,
    job: ClaimedJob,
    kind: JobKind,
    found: Media,
    now: datetime,
    *,
    first_failure: AttemptRecord | None = None,
) -> None:
    host = None if kind in WITHOUT_HOST else get_url(found.canonical_url or found.source_url).host
    wanted = NewJob(kind, found.id, host, Priority(job.priority), now, job.actor_user_id, job.request_id, first_failure)
    queue.enqueue(tx, wanted, now=now)
