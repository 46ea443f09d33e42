"""Steps that end or follow a job: settling a card, the record of a fetch, and follow-up jobs."""

from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.config import Settings
from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord, Via
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState
from kept.domain.media import Media, decide_at_the_end
from kept.fetch.outcome import Fetched, FetchFailed
from kept.storage import articles, captures, highlights, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.media import update_media
from kept.storage.queue import queue
from kept.urls.url import get_url

# An image has a host of its own; the gate sees to politeness there.
WITHOUT_HOST: Final = frozenset({JobKind.STORE_IMAGES})


def settle_card(
    tx: Connection,
    media: Media,
    state: LifecycleState,
    *,
    error: str | None,
    now: datetime,
    record: AttemptRecord = NOTHING_TO_TELL,
) -> None:
    """End a card that waits for nothing more: it succeeded if it says anything at all, otherwise it failed.

    A card that failed before is settled again: whatever a retry or somebody else's save found since makes it good.
    `state` is where the media is now, which `media` may not show yet.
    """
    status = decide_at_the_end(media)
    if status is EnrichmentStatus.FAILED and state.enrichment is status:  # the first failure is in the history already
        update_media(tx, media.id, now, enrichment_error=error)
    elif status is EnrichmentStatus.SUCCEEDED:
        lifecycles.apply_move(tx, state, status, at=now, record=record, enriched_at=now, enrichment_error=None)
    else:
        told = replace(record, message=record.message or error)
        lifecycles.apply_move(tx, state, status, at=now, record=told, enrichment_error=error)


def describe_fetch(fetched: Fetched | FetchFailed, via: Via = Via.HTTP) -> AttemptRecord:
    """Return what the history says about a fetch: counts and times, never a URL."""
    match fetched:
        case Fetched():
            return AttemptRecord(
                via=via,
                http_status=fetched.status,
                redirects=fetched.redirects,
                fetch_ms=round(fetched.timings.total_ms),
            )
        case FetchFailed():
            return AttemptRecord(
                via=via,
                message=fetched.message,
                http_status=fetched.http_status,
                redirects=fetched.redirects,
                fetch_ms=round(fetched.total_ms),
            )


def queue_anchoring(tx: Connection, media_id: UUID, *, now: datetime) -> bool:
    """Ask a worker to find the places of a media's highlights in its article. It runs in the transaction that stored
    the article, moved highlights to the media or imported them.

    Returns False where nothing is to be found, or there is no article yet: whoever stores it asks again.
    """
    version = articles.find_canonical_version(tx, media_id)
    if version is None or not highlights.has_unanchored(tx, media_id, version):
        return False
    job = NewJob(JobKind.ANCHOR_HIGHLIGHTS, media_id, None, Priority.PERSON, now, None, None)
    queue.enqueue(tx, job, now=now)
    return True


def queue_follow_up(
    tx: Connection,
    job: ClaimedJob,
    kind: JobKind,
    media: Media,
    now: datetime,
    *,
    first_failure: AttemptRecord | None = None,
) -> None:
    """Queue a job that follows from another, with its priority and its request id."""
    host = None if kind in WITHOUT_HOST else get_url(media.canonical_url or media.source_url).host
    wanted = NewJob(kind, media.id, host, Priority(job.priority), now, job.actor_user_id, job.request_id, first_failure)
    queue.enqueue(tx, wanted, now=now)


def queue_capture(
    tx: Connection, media: Media, user_id: UUID | None, *, request_id: str | None, priority: Priority, now: datetime
) -> None:
    """Queue a capture of the whole page."""
    host = get_url(media.canonical_url or media.source_url).host
    job = NewJob(JobKind.CAPTURE, media.id, host, priority, now, user_id, request_id)
    queue.enqueue(tx, job, now=now)


def wants_capture(tx: Connection, media: Media, settings: Settings) -> bool:
    """Return whether a copy of the whole page is wanted of a media for which nobody asked just now.

    A setting, a library that holds it, or the copy it replaces may want one. What came as a file is its own whole page.
    """
    if not settings.keeps_whole_pages or media.is_private or media.is_document:
        return False
    return settings.whole_page == "always" or captures.is_wanted(tx, media.id)
