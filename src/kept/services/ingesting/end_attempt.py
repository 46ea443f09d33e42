"""How an attempt at a media ends when there is no article: another attempt later, a browser, or the end.

Ingest and render both end here, in one transaction that is fenced by the job's lease.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from kept.content.page.description import PageMetadata
from kept.domain.attempt import Failure
from kept.domain.backoff import RetryAt, decide_retry
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.media import Media
from kept.fetch.outcome import FetchReason
from kept.services.ingesting.fail_media import fail_media
from kept.services.ingesting.hand_over_to_browser import hand_over_to_browser
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.record_attempt import record_attempt
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.storage.search import index

# What a browser would not change: the gate refuses it too, and these files it cannot draw.
NOT_FOR_A_BROWSER: Final = frozenset(
    {
        FailureCode.URL_INVALID,
        FailureCode.FETCH_FORBIDDEN,
        FailureCode.FETCH_KIND_MISMATCH_PDF,
        FailureCode.FETCH_KIND_MISMATCH_EPUB,
        FailureCode.DOCUMENT_ENCRYPTED,
        FailureCode.DOCUMENT_BROKEN,
        FailureCode.DOCUMENT_TOO_LARGE,
    }
)
# An image or plain data is no article in a browser either, but can be looked at.
ONLY_TO_LOOK_AT: Final = frozenset({FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE})


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
    """What comes next: another attempt then, a browser, or with neither the end, perhaps with a screenshot."""

    retry_at: datetime | None = None
    wants_browser: bool = False
    may_screenshot: bool = False


async def end_attempt(
    ingester: Ingester, job: ClaimedJob, failure: Failure, page: PageMetadata | None = None
) -> EndedAttempt:
    """`page`: what an unreadable page says of itself, which fills gaps of its card."""
    now = ingester.now()
    plan = _plan(ingester, job, failure, now)
    ended = await ingester.database.write(_end, job, failure, page, plan, now)
    if plan.wants_browser or plan.may_screenshot:
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
        return _Plan(decision.at)
    if job.kind is not JobKind.INGEST or not ingester.can_render or _is_hopeless(failure):
        return _Plan()
    is_only_to_look_at = failure.code in ONLY_TO_LOOK_AT
    return _Plan(wants_browser=not is_only_to_look_at, may_screenshot=is_only_to_look_at)


def _is_hopeless(failure: Failure) -> bool:
    """For a browser, which gets one visit to everything else before the end."""
    return failure.code in NOT_FOR_A_BROWSER or failure.facts.reason == FetchReason.NO_SUCH_NAME


def _end(
    tx: Connection, job: ClaimedJob, failure: Failure, page: PageMetadata | None, plan: _Plan, now: datetime
) -> AttemptEnd:
    if plan.retry_at is None and page is not None:
        media.fill_card_gaps(tx, job.subject_id, page, now)
        index.index_page(tx, job.subject_id)
    found = media.find_media(tx, job.subject_id, lock=True)
    if found is None:  # merged away or removed, and its jobs with it
        return AttemptEnd.GONE
    if plan.retry_at is not None:
        _retry_later(tx, job, found, failure, plan.retry_at, now)
        return AttemptEnd.RETRIED
    if plan.wants_browser and not (found.is_private or found.is_document):
        hand_over_to_browser(tx, job, found, failure.as_record(job.attempt), now)
        return AttemptEnd.HANDED_OVER
    fail_media(tx, job, found, failure, now, may_screenshot=plan.may_screenshot)
    return AttemptEnd.FAILED


def _retry_later(
    tx: Connection, job: ClaimedJob, found: Media, failure: Failure, retry_at: datetime, now: datetime
) -> None:
    """Same state, one more line of history, and the job comes back: behind others if the page took all its time."""
    queue.retry_later(tx, job, retry_at, gives_way=failure.code is FailureCode.INGEST_TIMEOUT)
    record_attempt(tx, found, replace(failure.as_record(job.attempt), next_retry_at=retry_at), now)
