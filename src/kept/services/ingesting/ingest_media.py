"""The `ingest` job: a media's page, from the save's snapshot or fetched anew, becomes its article.

The worker brings a media id and nothing else; what is missing is decided by what the database says.
"""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.compression import decompress
from kept.config import Settings
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.page.kinds import MESSAGES, classify_body
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.gate import Gate
from kept.fetch.limits import worker_limits
from kept.fetch.outcome import Fetched, FetchFailed
from kept.jobs import queue
from kept.jobs.announce import Announcer
from kept.jobs.queue import ClaimedJob, JobKind, Queue
from kept.observability import INGEST_SECONDS, INGESTS
from kept.services.importing.write_import_batch import COPY_HEADER
from kept.services.ingesting import end_attempt
from kept.services.ingesting.end_attempt import Failure, Previous
from kept.services.ingesting.store_article import ReadArticle, follow_up, keep_article
from kept.storage import lifecycles, media
from kept.storage.database.engine import AsyncConnection, Database
from kept.subprocesses.extractor_pool import ExtractorPool
from kept.urls.identity import keeps_identity
from kept.urls.url import NormalisedUrl, get_url

log = structlog.get_logger("kept.ingest")

# A site that shows our plain client the door may let a browser in.
STATUSES_FOR_A_BROWSER = frozenset({403, 429, 503})
CONTENT_FOR_A_BROWSER = frozenset({FailureCode.EXTRACT_NO_CONTENT, FailureCode.EXTRACT_CHALLENGE})


@dataclass(frozen=True, slots=True)
class Ingester:
    """What ingesting needs; made once by the wiring. `can_render`: some worker has a browser."""

    database: Database
    gate: Gate
    extractors: ExtractorPool
    announcer: Announcer
    settings: Settings
    can_render: bool


@dataclass(frozen=True, slots=True)
class FoundPage:
    """The page to read, and how we came by it."""

    body: bytes
    final_url: NormalisedUrl
    content_type: str | None
    status: int | None
    fetched_at: datetime
    history: dict[str, Any]
    is_snapshot: bool
    is_copy: bool = False


async def ingest_media(ingester: Ingester, job: ClaimedJob) -> None:
    started = time.perf_counter()
    found = await begin_attempt(ingester, job)
    outcome = "nothing_to_do" if found is None else await attempt(ingester, job, found)
    seconds = time.perf_counter() - started
    INGESTS.labels(outcome).inc()
    INGEST_SECONDS.observe(seconds)
    log.info(
        f"ingest.{outcome}",
        media_id=str(job.subject_id),
        host=get_url(found.source_url).host if found else None,
        attempt=job.attempt,
        ms=round(seconds * 1000),
    )


async def begin_attempt(ingester: Ingester, job: ClaimedJob) -> Media | None:
    """The media, now extracting; None where there is no article to make, and the job is finished."""
    now = utc_now()
    async with ingester.database.write() as tx:
        found = await media.find_media(tx, job.subject_id, lock=True)
        if found is None or found.processing_status is ProcessingStatus.INVALID_URL:
            await queue.finish(tx, job)
            return None
        if found.is_readable or not ingester.settings.archive:
            await finish_without_article(tx, ingester, job, found, now)
            return None
        await queue.require_held(tx, job)  # a worker that was away for long must not begin what others have ended
        await start_extracting(tx, job, found, now)
        return await media.find_media(tx, job.subject_id)


async def finish_without_article(
    tx: AsyncConnection, ingester: Ingester, job: ClaimedJob, found: Media, now: datetime
) -> None:
    """Nothing to read; the card may still want its picture."""
    await queue.finish(tx, job)
    await media.delete_snapshot(tx, found.id)
    if found.enrichment_status is not EnrichmentStatus.PENDING:
        return
    if found.has_picture or not ingester.can_render:
        await end_attempt.settle_card(tx, found, found.standing, error=found.enrichment_error, now=now)
        return
    host = get_url(found.canonical_url or found.source_url).host
    await queue.enqueue(tx, follow_up(job, JobKind.RENDER, Queue.RENDER, found.id, host, now), now=now)


async def start_extracting(tx: AsyncConnection, job: ClaimedJob, found: Media, now: datetime) -> None:
    counted = {"processing_attempts": found.processing_attempts + 1, "processing_started_at": now}
    previous = await end_attempt.classify_previous(tx, job)
    if found.processing_status is ProcessingStatus.EXTRACTING and previous is Previous.TOLD:
        await media.update_media(tx, found.id, now, **counted)
        return
    history = end_attempt.describe_loss(job, now) if previous is Previous.LOST else {"attempt": job.attempt}
    await lifecycles.apply_move(tx, found.standing, ProcessingStatus.EXTRACTING, at=now, history=history, **counted)


async def attempt(ingester: Ingester, job: ClaimedJob, found: Media) -> str:
    if ingester.settings.render == "always" and ingester.can_render and not found.is_private:
        return await hand_over(ingester, job, None, "the browser visits every page")
    page = await find_page(ingester, found)
    if isinstance(page, Failure):
        return await give_in(ingester, job, page)
    mismatch = classify_body(page.body)
    if mismatch is not None:
        failure = Failure(mismatch, MESSAGES[mismatch], FailureStage.FETCH, history=page.history)
        return await give_in(ingester, job, failure)
    started = time.perf_counter()
    canonical = found.canonical_url or str(page.final_url)
    extracted = await ingester.extractors.extract(
        Page(
            page.body,
            str(page.final_url),
            found.id,
            page.content_type,
            page.status,
            canonical,
            is_article=found.is_private and page.is_snapshot,
            is_copy=page.is_copy,
        )
    )
    history = page.history | {"extract_ms": round((time.perf_counter() - started) * 1000), "attempt": job.attempt}
    if isinstance(extracted, ExtractFailed):
        return await give_in(ingester, job, end_attempt.from_extraction(extracted, history), extracted)
    return await keep(ingester, job, found, page, extracted, history)


async def find_page(ingester: Ingester, found: Media) -> FoundPage | Failure:
    async with ingester.database.read() as tx:
        snapshot = await media.find_snapshot(tx, found.id)
    if snapshot is not None:
        return FoundPage(
            decompress(snapshot.body),
            get_url(snapshot.final_url),
            snapshot.headers.get("content-type"),
            200,
            snapshot.fetched_at,
            {"via": "file" if found.is_private else "snapshot"},
            is_snapshot=True,
            is_copy=found.is_private and COPY_HEADER in snapshot.headers,
        )
    url = get_url(found.canonical_url or found.source_url)
    match await ingester.gate.fetch(url, worker_limits(ingester.settings)):
        case Fetched() as fetched:
            history = {
                "via": "http",
                "http_status": fetched.status,
                "redirects": fetched.redirects,
                "fetch_ms": round(fetched.timings.total_ms),
            }
            content_type = fetched.headers.get("content-type")
            return FoundPage(
                fetched.body, fetched.final_url, content_type, fetched.status, utc_now(), history, is_snapshot=False
            )
        case FetchFailed() as failed:
            return end_attempt.from_fetch(failed)


async def keep(
    ingester: Ingester, job: ClaimedJob, found: Media, page: FoundPage, article: Article, history: dict[str, Any]
) -> str:
    submitted = get_url(found.source_url)
    # The save judged a snapshot's address already; a fetch of our own is judged here.
    names_it = not page.is_snapshot and keeps_identity(submitted, page.final_url)
    read = ReadArticle(article, page.final_url if names_it else None, history, page.fetched_at)
    async with ingester.database.write() as tx:
        stays = await keep_article(tx, ingester.settings, job, read, can_render=ingester.can_render, now=utc_now())
    announce_follow_ups(ingester, stays)
    return "ready" if stays == found.id else "merged" if stays else "gone"


def announce_follow_ups(ingester: Ingester, media_id: UUID | None) -> None:
    if media_id is not None:
        ingester.announcer.announce(JobKind.STORE_IMAGES, Queue.INGEST, media_id)
        ingester.announcer.announce(JobKind.RENDER, Queue.RENDER, media_id)


async def give_in(ingester: Ingester, job: ClaimedJob, failure: Failure, extracted: ExtractFailed | None = None) -> str:
    """This attempt leads to no article: another one, a browser, or the end."""
    run_at = end_attempt.decide_next_attempt(job, failure, ingester.settings, now=utc_now())
    if run_at is not None:
        async with ingester.database.write() as tx:
            found = await media.find_media(tx, job.subject_id, lock=True)
            if found is not None:
                await end_attempt.retry_later(tx, job, found, failure, run_at=run_at, now=utc_now())
        return "retried"
    if ingester.can_render and wants_browser(failure):
        return await hand_over(ingester, job, extracted, failure.message)
    async with ingester.database.write() as tx:
        found = await end_attempt.fill_gaps(tx, job.subject_id, extracted, utc_now())
        if found is not None:
            await end_attempt.fail(tx, job, found, failure, now=utc_now())
    return "failed"


def wants_browser(failure: Failure) -> bool:
    if failure.code is FailureCode.FETCH_FAILED:
        return failure.http_status in STATUSES_FOR_A_BROWSER
    return failure.code in CONTENT_FOR_A_BROWSER


async def hand_over(ingester: Ingester, job: ClaimedJob, extracted: ExtractFailed | None, why: str) -> str:
    """To the browser. What the plain page said of itself is kept; the snapshot is no longer of use."""
    now = utc_now()
    async with ingester.database.write() as tx:
        found = await end_attempt.fill_gaps(tx, job.subject_id, extracted, now)
        if found is None:
            return "gone"
        await queue.finish(tx, job)
        await media.delete_snapshot(tx, found.id)
        host = get_url(found.canonical_url or found.source_url).host
        await queue.enqueue(tx, follow_up(job, JobKind.RENDER, Queue.RENDER, found.id, host, now), now=now)
        history = {"message": why, "attempt": job.attempt, "handed_to": "browser"}
        await lifecycles.apply_move(tx, found.standing, ProcessingStatus.EXTRACTING, at=now, history=history)
    ingester.announcer.announce(JobKind.RENDER, Queue.RENDER, job.subject_id)
    return "handed_over"


async def fall_short(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """For the executor: the attempt crashed or ran past its time. The history tells it, and it is tried again while
    that is left."""
    await give_in(ingester, job, Failure(code, message, FailureStage.EXTRACT, is_transient=True))
    INGESTS.labels("timed_out" if code is FailureCode.INGEST_TIMEOUT else "crashed").inc()


async def give_up(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """For the executor: the job's workers died, or it ran past its time, and its attempts are used up."""
    # A claim that only finds the attempts used up is none itself.
    last = job.attempt - 1 if code is FailureCode.WORKER_LOST else job.attempt
    failure = Failure(code, message, FailureStage.EXTRACT, history={"attempt": last})
    async with ingester.database.write() as tx:
        found = await media.find_media(tx, job.subject_id, lock=True)
        if found is None:
            await queue.finish(tx, job)
            return
        await end_attempt.fail(tx, job, found, failure, now=utc_now())
    INGESTS.labels("given_up").inc()
    log.warning("ingest.given_up", media_id=str(job.subject_id), code=code, attempt=job.attempt)
