"""Queue a retry: the page is extracting from now on, and its job begins with all its attempts.

For a page that failed, and for one of which only the card was saved.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.attempt import NO_FAILURE, AttemptRecord
from kept.domain.errors import Conflict
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import RETRYABLE, EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.storage import events, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import NormalisedUrl, parse_url

ASKED_FOR: Final = "A retry was requested."


@dataclass(frozen=True, slots=True)
class RetryRequest:
    """Who asked; nobody in particular, when whoever runs the server did."""

    user_id: UUID | None = None
    request_id: str | None = None
    priority: Priority = Priority.IMPORT
    """PERSON where somebody waits for this one page."""


def queue_retry(tx: Connection, found: Media, asked: RetryRequest, now: datetime) -> None:
    """Conflict where there is nothing to try again."""
    url = parse_url(found.source_url)
    if found.processing_status not in RETRYABLE or not isinstance(url, NormalisedUrl):
        raise Conflict(f"There is nothing to retry: the page is {found.processing_status}.")
    record = AttemptRecord(message=ASKED_FOR, asked_by=asked.user_id)
    state = lifecycles.apply_move(tx, found.state, ProcessingStatus.EXTRACTING, at=now, record=record, **NO_FAILURE)
    if state.enrichment is EnrichmentStatus.FAILED:
        lifecycles.apply_move(tx, state, EnrichmentStatus.PENDING, at=now, enrichment_error=None)
    queue.cancel(tx, JobKind.INGEST, found.id)  # one that waits has its attempts behind it
    job = NewJob(JobKind.INGEST, found.id, url.host, asked.priority, now, asked.user_id, asked.request_id)
    queue.enqueue(tx, job, now=now)
    events.publish_event(tx, found.id, "changed", now)
