"""How an attempt at a media ends when there is no article: another attempt later, a browser, or the end.

Ingest and render both end here, in one transaction that is fenced by the job's lease.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from kept.content.article.extract import ExtractFailed
from kept.domain.attempt import Failure
from kept.domain.backoff import RetryAt, decide_retry
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.media import Media
from kept.services.ingesting.fail_media import fail_media
from kept.services.ingesting.hand_over_to_browser import hand_over_to_browser
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.record_attempt import record_attempt
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.storage.search import index

# A site that shows our plain client the door may let a browser in.
STATUSES_FOR_A_BROWSER: Final = frozenset({403, 429, 503})
CONTENT_FOR_A_BROWSER: Final = frozenset({FailureCode.EXTRACT_NO_CONTENT, FailureCode.EXTRACT_CHALLENGE})


class AttemptEnd(StrEnum):
    """A log line and a metric each."""

    RETRIED = "retried"
    HANDED_OVER = "handed_over"
    FAILED = "failed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class EndedAttempt:
    """How it ended, and why there is no article."""

    end: AttemptEnd
    failure: Failure


@dataclass(frozen=True, slots=True)
class _Plan:
    """What comes next: another attempt then, a browser, or with neither the end."""

    retry_at: datetime | None
    wants_browser: bool


async def end_attempt(
    ingester: Ingester, job: ClaimedJob, failure: Failure, extracted: ExtractFailed | None = None
) -> EndedAttempt:
    """`extracted`: what an unreadable page says of itself, which fills gaps of its card."""
    now = ingester.now()
    plan = _plan(ingester, job, failure, now)
    ended = await ingester.database.write(_end, job, failure, extracted, plan, now)
    if ended is AttemptEnd.HANDED_OVER:
        ingester.notifier.notify(JobKind.RENDER, job.subject_id)
    return EndedAttempt(ended, failure)


def _plan(ingester: Ingester, job: ClaimedJob, failure: Failure, now: datetime) -> _Plan:
    decision = decide_retry(
        attempt=job.attempt,
        max_attempts=ingester.settings.max_attempts,
        now=now,
        base_seconds=ingester.settings.retry_backoff_base,
        retry_after_seconds=failure.retry_after_seconds,
    )
    if failure.is_transient and isinstance(decision, RetryAt):
        return _Plan(decision.at, wants_browser=False)
    may_render = job.kind is JobKind.INGEST and ingester.can_render
    return _Plan(None, wants_browser=may_render and _may_be_read_by_a_browser(failure))


def _may_be_read_by_a_browser(failure: Failure) -> bool:
    if failure.code is FailureCode.FETCH_FAILED:
        return failure.facts.http_status in STATUSES_FOR_A_BROWSER
    return failure.code in CONTENT_FOR_A_BROWSER


def _end(
    tx: Connection, job: ClaimedJob, failure: Failure, extracted: ExtractFailed | None, plan: _Plan, now: datetime
) -> AttemptEnd:
    if plan.retry_at is None and extracted is not None and extracted.metadata is not None:
        media.fill_card_gaps(tx, job.subject_id, extracted.metadata, now)
        index.index_page(tx, job.subject_id)
    found = media.find_media(tx, job.subject_id, lock=True)
    if found is None:  # merged away or removed, and its jobs with it
        return AttemptEnd.GONE
    if plan.retry_at is not None:
        _retry_later(tx, job, found, failure, plan.retry_at, now)
        return AttemptEnd.RETRIED
    if plan.wants_browser:
        hand_over_to_browser(tx, job, found, failure.message, now)
        return AttemptEnd.HANDED_OVER
    fail_media(tx, job, found, failure, now)
    return AttemptEnd.FAILED


def _retry_later(
    tx: Connection, job: ClaimedJob, found: Media, failure: Failure, retry_at: datetime, now: datetime
) -> None:
    """Same state, one more line of history, and the job comes back."""
    queue.retry_later(tx, job, retry_at)
    record_attempt(tx, found, replace(failure.as_record(job.attempt), next_retry_at=retry_at), now)
