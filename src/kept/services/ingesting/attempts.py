"""An attempt of an ingest or a render job: how it begins, how it can end, and what is logged and measured."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

import structlog

from kept.content.page.description import PageMetadata
from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord, Failure, RetryAt, decide_retry
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media, wants_screenshot
from kept.fetch.outcome import MESSAGES, FetchReason
from kept.metrics import INGEST_SECONDS, INGESTS, RENDER_SECONDS, RENDERS
from kept.services.ingesting.failures import record_attempt
from kept.services.ingesting.worker import Ingester
from kept.services.pages.states import queue_follow_up, settle_card
from kept.storage import events, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.media import delete_snapshot, fill_card_gaps, find_media
from kept.storage.queue import claiming, queue
from kept.storage.search import index
from kept.urls.url import get_url

# A browser cannot help with these: the gate refuses them too, or it cannot draw such files.
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
# A browser makes no article of an image or of plain data either, but can take a screenshot of it.
SCREENSHOT_ONLY: Final = frozenset({FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE})
BLOCKED_CARD: Final = "This URL may not be fetched."
log = structlog.get_logger("kept.ingest")
render_log = structlog.get_logger("kept.render")
AT_ONCE: Final = 100
# A worker holds no job for a moment between two visits; one of so many looks would see it.
LOOKS: Final = 5
LOOK_SECONDS: Final = 1.0


METRICS: Final = {JobKind.INGEST: (INGESTS, INGEST_SECONDS), JobKind.RENDER: (RENDERS, RENDER_SECONDS)}


class AttemptEnd(StrEnum):
    """How an attempt ended; each value is a log line and a label of the metrics."""

    READY = "ready"
    MERGED = "merged"
    """The page was known already under another URL, as another media."""
    SCREENSHOT = "screenshot"
    """A screenshot was stored."""
    RETRIED = "retried"
    HANDED_OVER = "handed_over"
    """The browser visits the page next."""
    HANDED_BACK = "handed_back"
    """The browser met a document, which is fetched next."""
    FAILED = "failed"
    GONE = "gone"
    """The media was merged or removed meanwhile."""
    WAITING = "waiting"
    """A program that makes articles is missing."""
    NOTHING_TO_DO = "nothing_to_do"


@dataclass(frozen=True, slots=True)
class EndedAttempt:
    """How an attempt ended, and why there is no article if there is none."""

    end: AttemptEnd
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What follows a failure: a retry, a visit by the browser, or the end, perhaps with a screenshot."""

    retry_at: datetime | None = None
    wants_browser: bool = False
    may_screenshot: bool = False


Begin = Callable[[Connection, Ingester, ClaimedJob, Media, datetime], Media | None]
Attempt = Callable[[ClaimedJob, Media, float], Awaitable[EndedAttempt]]


async def run_attempt(
    ingester: Ingester, job: ClaimedJob, begin: Begin, attempt: Attempt, *, reading_share: float
) -> None:
    """Make one attempt at a media, and tell logs and metrics how it ended; ingest and render both run here.

    `begin` is given the media, locked, and answers None where nothing is to be done and the job is finished. `attempt`
    is given the moment until which it may read: `reading_share` of the job's time.
    """
    started = time.perf_counter()
    found = await ingester.database.write(_begin, begin, ingester, job, ingester.now())
    if found is None:
        ended = EndedAttempt(AttemptEnd.NOTHING_TO_DO)
    else:
        ended = await attempt(job, found, started + ingester.settings.limits.job_seconds * reading_share)
    _report(job, found, ended, time.perf_counter() - started)


def _begin(tx: Connection, begin: Begin, ingester: Ingester, job: ClaimedJob, now: datetime) -> Media | None:
    media = find_media(tx, job.subject_id, lock=True)
    if media is None or media.processing_status is ProcessingStatus.INVALID_URL:
        queue.finish(tx, job)
        return None
    return begin(tx, ingester, job, media, now)


def _report(job: ClaimedJob, media: Media | None, ended: EndedAttempt, seconds: float) -> None:
    outcomes, durations = METRICS[job.kind]
    outcomes.labels(ended.end).inc()
    durations.observe(seconds)
    (log if job.kind is JobKind.INGEST else render_log).info(
        f"{job.kind}.{ended.end}",
        media_id=str(job.subject_id),
        host=get_url(media.source_url).host if media else None,
        attempt=job.attempt,
        ms=round(seconds * 1000),
        **(ended.failure.as_log_fields() if ended.failure else {}),
    )


async def end_attempt(
    ingester: Ingester, job: ClaimedJob, failure: Failure, page: PageMetadata | None = None
) -> EndedAttempt:
    """End an attempt that made no article: with a retry, a visit by the browser, or as failed.

    Ingest and render both end here, in one transaction that is fenced by the job's lease. `page` is what an unreadable
    page says about itself; it fills gaps of the card.
    """
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
        is_transient=failure.is_transient,
        retry_after_seconds=failure.retry_after_seconds,
    )
    if isinstance(decision, RetryAt):
        return _Plan(decision.at)
    if job.kind is not JobKind.INGEST or not ingester.can_render or _is_hopeless(failure):
        return _Plan()
    needs_screenshot_only = failure.code in SCREENSHOT_ONLY
    return _Plan(wants_browser=not needs_screenshot_only, may_screenshot=needs_screenshot_only)


def _is_hopeless(failure: Failure) -> bool:
    """Return whether a browser cannot help either; it visits every other page once before the page fails."""
    return failure.code in NOT_FOR_A_BROWSER or failure.facts.reason == FetchReason.NO_SUCH_NAME


def _end(
    tx: Connection, job: ClaimedJob, failure: Failure, page: PageMetadata | None, plan: _Plan, now: datetime
) -> AttemptEnd:
    if plan.retry_at is None and page is not None:
        fill_card_gaps(tx, job.subject_id, page, now)
        index.index_page(tx, job.subject_id)
    media = find_media(tx, job.subject_id, lock=True)
    if media is None:  # merged away or removed, and its jobs with it
        return AttemptEnd.GONE
    if plan.retry_at is not None:
        _retry_later(tx, job, media, failure, plan.retry_at, now)
        return AttemptEnd.RETRIED
    if plan.wants_browser and not (media.is_private or media.is_document):
        hand_over_to_browser(tx, job, media, failure.as_record(job.attempt), now)
        return AttemptEnd.HANDED_OVER
    fail_media(tx, job, media, failure, now, may_screenshot=plan.may_screenshot)
    return AttemptEnd.FAILED


def _retry_later(
    tx: Connection, job: ClaimedJob, media: Media, failure: Failure, retry_at: datetime, now: datetime
) -> None:
    """Retry the job later with the same state, and record it; a page that took all its time queues behind others."""
    queue.retry_later(tx, job, retry_at, gives_way=failure.code is FailureCode.INGEST_TIMEOUT)
    record_attempt(tx, media, replace(failure.as_record(job.attempt), next_retry_at=retry_at), now)


def fail_media(
    tx: Connection, job: ClaimedJob, media: Media, failure: Failure, now: datetime, *, may_screenshot: bool = False
) -> None:
    """Fail the media, or record that it has no article; the card ends as what is known allows.

    `may_screenshot`: a browser may still take a screenshot for the card.
    """
    queue.finish(tx, job)
    delete_snapshot(tx, media.id)
    is_blocked = failure.code is FailureCode.FETCH_FORBIDDEN
    record, state = failure.as_record(job.attempt), media.state
    if media.processing_status in {ProcessingStatus.PENDING, ProcessingStatus.EXTRACTING}:
        state = lifecycles.apply_move(
            tx,
            state,
            ProcessingStatus.BLOCKED if is_blocked else ProcessingStatus.FAILED,
            at=now,
            record=record,
            failure_code=failure.code,
            failure_message=failure.message,
            failure_stage=failure.stage,
            failure_details=failure.facts.to_json(),
            failed_at=now,
        )
        record = NOTHING_TO_TELL  # the card's line need not say it again
    if wants_screenshot(media, can_render=may_screenshot):
        queue_follow_up(tx, job, JobKind.RENDER, media, now)
    elif state.enrichment is not EnrichmentStatus.SUCCEEDED:
        settle_card(tx, media, state, error=BLOCKED_CARD if is_blocked else failure.message, now=now, record=record)
    events.publish_event(tx, media.id, "article", now)


def hand_over_to_browser(tx: Connection, job: ClaimedJob, media: Media, why: AttemptRecord, now: datetime) -> None:
    """Hand a page over to the browser: a render job takes the ingest job's place, and the snapshot is deleted.

    `why`: the outcome of the worker's own attempt, which the render job gets if it is a failure.
    """
    queue.finish(tx, job)
    delete_snapshot(tx, media.id)
    queue_follow_up(tx, job, JobKind.RENDER, media, now, first_failure=why if why.code else None)
    record = replace(why, attempt=job.attempt, handed_to="browser")
    lifecycles.apply_move(tx, media.state, ProcessingStatus.EXTRACTING, at=now, record=record)


async def on_attempt_failed(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """Record an attempt that crashed or ran past its time, and retry it if possible; the executor calls this."""
    failure = Failure(code, message, FailureStage.EXTRACT, is_transient=True)
    ended = await end_attempt(ingester, job, failure)
    told = {"media_id": str(job.subject_id), "attempt": job.attempt}
    log.warning(f"ingest.{ended.end}", **told, **failure.as_log_fields())
    INGESTS.labels("timed_out" if code is FailureCode.INGEST_TIMEOUT else "crashed").inc()


async def on_exhausted(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """Fail a media whose attempts are used up, because workers died or ran past their time; the executor calls this."""
    # A claim that only finds the attempts used up is no attempt itself.
    last = job.attempt - 1 if code is FailureCode.WORKER_LOST else job.attempt
    failure = Failure(code, message, FailureStage.EXTRACT, facts=AttemptRecord(attempt=last))
    await ingester.database.write(_fail, job, failure, ingester.now())
    INGESTS.labels("given_up").inc()
    log.warning("ingest.given_up", media_id=str(job.subject_id), attempt=job.attempt, **failure.as_log_fields())


def _fail(tx: Connection, job: ClaimedJob, failure: Failure, now: datetime) -> None:
    media = find_media(tx, job.subject_id, lock=True)
    if media is None:
        queue.finish(tx, job)
    else:
        fail_media(tx, job, media, failure, now)


async def end_waiting_renders(ingester: Ingester, *, look_seconds: float = LOOK_SECONDS) -> int:
    """End queued visits that no browser makes: there is no render worker, or `KEPT_RENDER` says never by now.

    The pages end as on a server without a browser, so that nothing stays pending for ever.

    Returns how many were ended.
    """
    now = ingester.now()
    due_before = now - _patience(ingester)
    waiting = await _list_waiting(ingester, due_before)
    captures = await _list_waiting(ingester, due_before, JobKind.CAPTURE)
    if not (waiting or captures) or await _is_somebody_rendering(ingester, look_seconds):
        return 0
    for media_id in captures:  # the article stays without its whole page
        await ingester.database.write(queue.cancel, JobKind.CAPTURE, media_id)
    ended = len(captures)
    while waiting:
        done = [
            await ingester.database.write(_end_waiting, ingester, media_id, due_before, now) for media_id in waiting
        ]
        ended += sum(done)
        waiting = await _list_waiting(ingester, due_before) if any(done) else []
    render_log.warning("render.nobody_at_work", ended=ended, advice="Start a render worker, or set KEPT_RENDER=never.")
    return ended


def _patience(ingester: Ingester) -> timedelta:
    settings = ingester.settings
    return timedelta(seconds=0 if settings.render == "never" else settings.limits.render_wait_seconds)


async def _list_waiting(ingester: Ingester, due_before: datetime, kind: JobKind = JobKind.RENDER) -> list[UUID]:
    return await ingester.database.read(claiming.list_waiting, kind, due_before=due_before, limit=AT_ONCE)


async def _is_somebody_rendering(ingester: Ingester, look_seconds: float) -> bool:
    """Return whether some worker renders now; it then works off even a long queue."""
    if ingester.settings.render == "never":
        return False
    lease_seconds = ingester.settings.lease_seconds
    for _ in range(LOOKS):
        now = ingester.now()
        for kind in (JobKind.RENDER, JobKind.CAPTURE):
            if await ingester.database.read(claiming.has_lease, kind, now=now, lease_seconds=lease_seconds):
                return True
        await asyncio.sleep(look_seconds)
    return False


def _end_waiting(tx: Connection, ingester: Ingester, media_id: UUID, due_before: datetime, now: datetime) -> bool:
    """End one waiting visit; return False if a worker claimed it meanwhile."""
    media = find_media(tx, media_id, lock=True)
    lease_seconds = ingester.settings.lease_seconds
    job = claiming.claim_waiting(
        tx, JobKind.RENDER, media_id, due_before=due_before, now=now, lease_seconds=lease_seconds
    )
    if job is None:
        return False
    if media is None:
        queue.finish(tx, job)
    elif _was_never_fetched(ingester, job, media):
        queue.finish(tx, job)
        queue_follow_up(tx, job, JobKind.INGEST, media, now)
    else:
        fail_media(tx, job, media, _explain(job.first_failure), now)
    return True


def _was_never_fetched(ingester: Ingester, job: ClaimedJob, media: Media) -> bool:
    """Return whether only the browser was to fetch the page, so that the worker's own fetch may still succeed."""
    is_wanted = media.processing_status is ProcessingStatus.EXTRACTING and job.first_failure is None
    return is_wanted and ingester.settings.render != "always"


def _explain(first: AttemptRecord | None) -> Failure:
    """Return the failure of the worker's own attempt, or that there is no browser."""
    if first is None or first.code is None:
        message = MESSAGES[FetchReason.NO_BROWSER]
        return Failure(FailureCode.INGEST_FAILED, message, FailureStage.RENDER)
    stage = FailureStage.FETCH if first.code == FailureCode.FETCH_FAILED else FailureStage.EXTRACT
    return Failure(FailureCode(first.code), first.message or "", stage, facts=first)
