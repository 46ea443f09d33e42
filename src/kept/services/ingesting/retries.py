"""Retries that people and operators ask for, and articles of pages of which only the card was saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.attempt import NO_FAILURE, AttemptRecord
from kept.domain.errors import Conflict, NotFound
from kept.domain.item import BulkResult, Card
from kept.domain.job import JobKind, Priority, ingest_job
from kept.domain.library import LibraryChoice
from kept.domain.lifecycle import RETRYABLE, EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.jobs.notifier import Notifier
from kept.services.libraries.libraries import choose_readable_libraries
from kept.services.pages.bulk import act_on_each
from kept.services.pages.cards import SeenMedia, get_card, get_visible_media, view_media
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.urls.url import NormalisedUrl, parse_url

ASKED_FOR: Final = "A retry was requested."
MAX_CARDS: Final = 1_000
# The number in one transaction: on SQLite nobody else can save meanwhile.
BATCH: Final = 100


@dataclass(frozen=True, slots=True)
class RetryRequest:
    """Who asked for a retry; without a user it was whoever runs the server."""

    user_id: UUID | None = None
    request_id: str | None = None
    priority: Priority = Priority.IMPORT
    """PERSON is for one page that somebody waits for."""


@dataclass(frozen=True, slots=True)
class CardsToIngest:
    library: LibraryChoice = None
    limit: int = MAX_CARDS
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class IngestedCards:
    queued: int
    remaining: int


def queue_retry(tx: Connection, media: Media, asked: RetryRequest, now: datetime) -> None:
    """Queue a retry of a page that failed or of which only the card was saved, with all its attempts.

    Conflict is raised where there is nothing to retry.
    """
    url = parse_url(media.source_url)
    if media.processing_status not in RETRYABLE or not isinstance(url, NormalisedUrl):
        raise Conflict(
            "There is nothing to retry: the page is %(processing_status)s.", processing_status=media.processing_status
        )
    record = AttemptRecord(message=ASKED_FOR, asked_by=asked.user_id)
    state = lifecycles.apply_move(tx, media.state, ProcessingStatus.EXTRACTING, at=now, record=record, **NO_FAILURE)
    if state.enrichment is EnrichmentStatus.FAILED:
        lifecycles.apply_move(tx, state, EnrichmentStatus.PENDING, at=now, enrichment_error=None)
    queue.cancel(tx, JobKind.INGEST, media.id)  # a queued job may have used up its attempts
    job = ingest_job(media.id, url.host, now, asked.user_id, asked.request_id, priority=asked.priority)
    queue.enqueue(tx, job, now=now)
    events.publish_event(tx, media.id, "changed", now)


def retry_failed(tx: Connection, media_id: UUID, *, now: datetime) -> None:
    """Retry a page because whoever runs the server asked; each has a transaction, so that many do not delay a save."""
    found = media.find_media(tx, media_id, lock=True)
    if found is None:
        raise Conflict(f"There is nothing to retry for {media_id}.")
    queue_retry(tx, found, RetryRequest(), now)


async def retry_items(
    database: Database,
    notifier: Notifier,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    *,
    request_id: str | None,
    now: datetime,
) -> BulkResult:
    """Retry the pages of several items, each by itself, and count those that cannot be retried.

    A page that has its article or is being saved is refused. NotFound is raised if the only item is gone.
    """
    ingest = partial(ingest_item, database, notifier, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, ingest, refusals=(NotFound,), never_raised=(Conflict,))


async def retry_media(
    database: Database, notifier: Notifier, viewer: Viewer, media_id: UUID, *, request_id: str | None, now: datetime
) -> SeenMedia:
    """Retry a page because a person asked: it is extracting from now on, and a worker has a job with a fresh count.

    The state changes here and not in the worker, so that the answer already shows it, and if two people ask at once one
    gets the job and the other is told. `processing_attempts` counts claims of work, so only the worker counts it.
    """
    seen = await database.write(_retry, viewer, media_id, request_id, now)
    notifier.notify(JobKind.INGEST, seen.media.id)
    return seen


def _retry(tx: Connection, viewer: Viewer, media_id: UUID, request_id: str | None, now: datetime) -> SeenMedia:
    media = get_visible_media(tx, viewer, media_id)
    queue_retry(tx, media, RetryRequest(viewer.user_id, request_id, Priority.PERSON), now)
    return view_media(tx, viewer, get_visible_media(tx, viewer, media.id))


async def ingest_item(
    database: Database, notifier: Notifier, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    """Save the article of an item of which only the card was saved; a page that failed is tried again.

    Conflict is raised where there is an article, or one is being made.
    """
    card = await database.write(_ingest, viewer, item_id, request_id, now)
    notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _ingest(tx: Connection, viewer: Viewer, item_id: UUID, request_id: str | None, now: datetime) -> Card:
    card = get_card(tx, viewer, item_id)
    queue_retry(tx, card.media, RetryRequest(viewer.user_id, request_id, Priority.PERSON), now)
    return get_card(tx, viewer, item_id)


async def ingest_cards(
    database: Database, notifier: Notifier, viewer: Viewer, wanted: CardsToIngest, *, now: datetime
) -> IngestedCards:
    """Save the articles of pages of which only the cards were saved, in one library or all, behind what people save."""
    library_ids = await database.read(choose_readable_libraries, viewer, wanted.library)
    asked, queued = RetryRequest(viewer.user_id, wanted.request_id), 0
    while queued < wanted.limit:
        media_ids = await database.write(_queue, library_ids, asked, min(BATCH, wanted.limit - queued), now)
        for media_id in media_ids:
            notifier.notify(JobKind.INGEST, media_id)
        queued += len(media_ids)
        if not media_ids:
            break
    return IngestedCards(queued, await database.read(media.count_card_only, library_ids))


def _queue(
    tx: Connection, library_ids: Sequence[UUID], asked: RetryRequest, limit: int, now: datetime
) -> Sequence[UUID]:
    found = media.lock_card_only(tx, library_ids, limit=limit)
    for page in found:
        queue_retry(tx, page, asked, now)
    return [page.id for page in found]


def list_card_only(tx: Connection) -> list[UUID]:
    """List the pages of which only the card was saved, oldest first, for whoever runs the server."""
    return media.list_card_only(tx)


def list_failed(tx: Connection, code: str | None) -> list[UUID]:
    """List the failed pages that can be retried, oldest first, only with `code` if given, for the operator."""
    return media.list_failed(tx, code)
