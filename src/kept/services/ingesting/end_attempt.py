"""How an attempt at a media ends when it does not end well: try again later, hand over, block, or fail.

Each is one transaction of the caller, fenced by the job's lease.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from kept.config import Settings
from kept.content.article.extract import ExtractFailed
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, Standing
from kept.domain.media import Media
from kept.fetch.outcome import FORBIDDEN, FetchFailed
from kept.storage.jobs import queue
from kept.domain.backoff import RetryAt, decide_retry
from kept.storage.jobs.queue import ClaimedJob
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import AsyncConnection
from kept.storage.search import index as search_index

BLOCKED_CARD: Final = "This address may not be fetched."
LOST_ATTEMPT: Final = "The work on this page ended before its time."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt did not lead to an article, in the terms of the API."""

    code: FailureCode
    message: str
    stage: FailureStage
    is_transient: bool = False
    retry_after_seconds: float | None = None
    http_status: int | None = None
    history: Mapping[str, Any] = field(default_factory=dict)

    @property
    def as_history(self) -> dict[str, Any]:
        told = {"code": self.code, "message": self.message, "http_status": self.http_status, **self.history}
        return {name: value for name, value in told.items() if value is not None}


def from_fetch(failed: FetchFailed, stage: FailureStage = FailureStage.FETCH) -> Failure:
    history: dict[str, Any] = {
        "via": "browser" if stage is FailureStage.RENDER else "http",
        "redirects": failed.redirects,
        "fetch_ms": round(failed.total_ms),
    }
    if failed.reason in FORBIDDEN:
        history["validation_reason"] = failed.reason
    return Failure(
        failed.code,
        failed.message,
        stage,
        failed.transient,
        failed.retry_after_seconds,
        failed.http_status,
        history,
    )


# A child that hangs or dies may do better next time; what the page lacks, it will lack again.
TRANSIENT_EXTRACTION: Final = frozenset({FailureCode.INGEST_TIMEOUT, FailureCode.INGEST_FAILED})


def from_extraction(failed: ExtractFailed, history: Mapping[str, Any]) -> Failure:
    is_transient = failed.code in TRANSIENT_EXTRACTION
    return Failure(failed.code, failed.message, failed.stage, is_transient, history=history)


async def retry_later(
    tx: AsyncConnection, job: ClaimedJob, found: Media, failure: Failure, *, run_at: datetime, now: datetime
) -> None:
    """Same state, one more line of history, and the job comes back."""
    await queue.retry_later(tx, job, run_at)
    history = failure.as_history | {"attempt": job.attempt, "next_retry_at": run_at.isoformat()}
    await tell(tx, found, history, now)


async def tell(tx: AsyncConnection, found: Media, history: Mapping[str, Any], now: datetime) -> None:
    """Another line for what is still to be done: the article, or else the card's picture."""
    if found.processing_status is ProcessingStatus.EXTRACTING:
        await lifecycles.apply_move(tx, found.standing, ProcessingStatus.EXTRACTING, at=now, history=history)
    elif found.enrichment_status is EnrichmentStatus.PENDING:
        await lifecycles.apply_move(tx, found.standing, EnrichmentStatus.PENDING, at=now, history=history)


class Previous(StrEnum):
    """What became of the attempt before this one."""

    NONE = "none"
    TOLD = "told"
    LOST = "lost"


async def classify_previous(tx: AsyncConnection, job: ClaimedJob) -> Previous:
    """An attempt that ended left a line that names the next; without it, it ended before it could say a word."""
    if job.attempt <= 1:
        return Previous.NONE
    last = (await lifecycles.list_transitions(tx, job.subject_id))[-1].metadata
    is_told = "next_retry_at" in last and last.get("attempt") == job.attempt - 1
    return Previous.TOLD if is_told else Previous.LOST


def describe_loss(job: ClaimedJob, now: datetime) -> dict[str, Any]:
    return {
        "code": FailureCode.WORKER_LOST,
        "message": LOST_ATTEMPT,
        "attempt": job.attempt - 1,
        "next_retry_at": now.isoformat(),
    }


async def fail(tx: AsyncConnection, job: ClaimedJob, found: Media, failure: Failure, *, now: datetime) -> None:
    """The article is given up, or was never to be; the card ends as what is known allows."""
    await queue.finish(tx, job)
    await media.delete_snapshot(tx, found.id)
    is_blocked = failure.code is FailureCode.FETCH_FORBIDDEN
    history = {"attempt": job.attempt} | failure.as_history
    standing = found.standing
    if found.processing_status in {ProcessingStatus.PENDING, ProcessingStatus.EXTRACTING}:
        standing = await lifecycles.apply_move(
            tx,
            standing,
            ProcessingStatus.BLOCKED if is_blocked else ProcessingStatus.FAILED,
            at=now,
            history=history,
            failure_code=failure.code,
            failure_message=failure.message,
            failure_stage=failure.stage,
            failure_details=dict(failure.history),
            failed_at=now,
        )
        history = {}  # told; the card's line need not
    if standing.enrichment is EnrichmentStatus.PENDING:
        error = BLOCKED_CARD if is_blocked else failure.message
        await settle_card(tx, found, standing, error=error, now=now, history=history)
    await events.tell_libraries(tx, found.id, "article", now)


async def settle_card(
    tx: AsyncConnection,
    found: Media,
    standing: Standing,
    *,
    error: str | None,
    now: datetime,
    history: Mapping[str, Any] | None = None,
) -> Standing:
    """A card is good enough when it says anything at all; failed only when nothing is known."""
    if found.has_picture or found.title is not None or found.excerpt is not None:
        return await lifecycles.apply_move(
            tx, standing, EnrichmentStatus.SUCCEEDED, at=now, history=history, enriched_at=now, enrichment_error=None
        )
    history = {"message": error, **(history or {})} if error else history
    return await lifecycles.apply_move(
        tx, standing, EnrichmentStatus.FAILED, at=now, history=history, enrichment_error=error
    )


async def fill_gaps(
    tx: AsyncConnection, media_id: UUID, extracted: ExtractFailed | None, now: datetime
) -> Media | None:
    """What an unreadable page says of itself goes where nothing is known. Returns the media as it then is, locked."""
    if extracted is not None and extracted.metadata is not None:
        await media.fill_card_gaps(tx, media_id, extracted.metadata, now)
        await search_index.index_page(tx, media_id)
    return await media.find_media(tx, media_id, lock=True)


def decide_next_attempt(job: ClaimedJob, failure: Failure, settings: Settings, *, now: datetime) -> datetime | None:
    """When to try again by ourselves; None when that is no use, or was tried often enough."""
    if not failure.is_transient:
        return None
    decision = decide_retry(
        attempt=job.attempt,
        max_attempts=settings.max_attempts,
        now=now,
        base_seconds=settings.retry_backoff_base,
        retry_after_seconds=failure.retry_after_seconds,
    )
    return decision.at if isinstance(decision, RetryAt) else None
