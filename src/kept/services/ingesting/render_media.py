"""The `render` job: one browser visit gives a media what it lacks, its article, its image, or both."""

import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog

from kept.content.article.extract import Article, ExtractFailed, Page
from kept.domain.attempt import AttemptRecord, Failure, Via
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchFailed
from kept.observability import RENDER_SECONDS, RENDERS
from kept.services.ingesting.describe_lost_attempt import describe_lost_attempt
from kept.services.ingesting.end_attempt import EndedAttempt, end_attempt
from kept.services.ingesting.explain_failure import explain_failure
from kept.services.ingesting.finish_article import finish_article
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.record_attempt import record_attempt
from kept.services.ingesting.settle_card import settle_card
from kept.services.ingesting.store_article import FollowUps, ReadArticle
from kept.storage import events, lifecycles, media
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection
from kept.storage.images import screenshot_key
from kept.storage.jobs import queue
from kept.urls.identity import keeps_identity
from kept.urls.url import get_url

log = structlog.get_logger("kept.render")

# What a visit may take of the job's own time; the rest is for extraction and the database.
VISIT_SHARE: Final = 0.75
CHALLENGE_STATUSES: Final = frozenset({401, 403, 429, 503})
NO_SCREENSHOT: Final = "No screenshot of the page could be taken."


@dataclass(frozen=True, slots=True)
class Renderer:
    """What rendering needs; made once by the wiring."""

    ingester: Ingester
    browsers: BrowserPool
    blobs: BlobStore


@dataclass(frozen=True, slots=True)
class _Needs:
    article: bool
    image: bool


async def render_media(renderer: Renderer, job: ClaimedJob) -> None:
    started = time.perf_counter()
    ended = await _attempt(renderer, job)
    outcome, why = (ended.end, ended.failure.as_log_fields()) if isinstance(ended, EndedAttempt) else (ended, {})
    seconds = time.perf_counter() - started
    RENDERS.labels(outcome).inc()
    RENDER_SECONDS.observe(seconds)
    log.info(f"render.{outcome}", media_id=str(job.subject_id), attempt=job.attempt, ms=round(seconds * 1000), **why)


async def _attempt(renderer: Renderer, job: ClaimedJob) -> str | EndedAttempt:
    found = await renderer.ingester.database.write(_begin_attempt, job, renderer.ingester.now())
    if found is None:
        return "nothing_to_do"
    needs = _decide_needs(found)
    if needs.image:
        await renderer.blobs.require()
    url = get_url(found.canonical_url or found.source_url)
    seconds = renderer.ingester.settings.job_seconds * VISIT_SHARE
    match await renderer.browsers.render(url, want_html=needs.article, want_screenshot=needs.image, seconds=seconds):
        case FetchFailed() as failed:
            return await end_attempt(renderer.ingester, job, explain_failure(failed, AttemptRecord(via=Via.BROWSER)))
        case Rendered() as rendered:
            return await _use(renderer, job, found, rendered)


def _begin_attempt(tx: Connection, job: ClaimedJob, now: datetime) -> Media | None:
    """The media as it is; None where it lacks nothing, and the job is finished."""
    found = media.find_media(tx, job.subject_id, lock=True)
    needs = _decide_needs(found) if found is not None else None
    if found is None or needs is None or not (needs.article or needs.image):
        queue.finish(tx, job)
        return None
    if job.is_previous_lost:
        queue.require_held(tx, job)
        record_attempt(tx, found, describe_lost_attempt(job, now), now)
    return found


def _decide_needs(found: Media) -> _Needs:
    if found.processing_status is ProcessingStatus.INVALID_URL:
        return _Needs(article=False, image=False)
    return _Needs(article=found.processing_status is ProcessingStatus.EXTRACTING, image=not found.has_image)


async def _use(renderer: Renderer, job: ClaimedJob, found: Media, rendered: Rendered) -> str | EndedAttempt:
    ingester, record = renderer.ingester, _describe(rendered)
    if rendered.status >= 400:
        return await end_attempt(ingester, job, _explain_status(rendered, record))
    started = time.perf_counter()
    extracted = await _extract(ingester, found, rendered) if _decide_needs(found).article else None
    if extracted is not None:
        record = replace(record, extract_ms=round((time.perf_counter() - started) * 1000))
    if isinstance(extracted, ExtractFailed) and extracted.code is FailureCode.EXTRACT_CHALLENGE:
        # A screenshot of a robot check is no image of the page.
        return await end_attempt(ingester, job, explain_failure(extracted, record))
    has_screenshot = await _store_screenshot(renderer, found.id, rendered, record)
    match extracted:
        case Article():
            return await _finish(ingester, job, found, rendered, extracted, record)
        case ExtractFailed():
            return await end_attempt(ingester, job, explain_failure(extracted, record), extracted)
        case None:
            await ingester.database.write(_finish_screenshot, job, ingester.now())
            return "pictured" if has_screenshot else "failed"


def _describe(rendered: Rendered) -> AttemptRecord:
    return AttemptRecord(
        via=Via.BROWSER,
        http_status=rendered.status,
        redirects=rendered.redirects,
        fetch_ms=round(rendered.timings.total_ms),
    )


def _explain_status(rendered: Rendered, record: AttemptRecord) -> Failure:
    message = f"The site answered with an error ({rendered.status})."
    code = FailureCode.EXTRACT_CHALLENGE if rendered.status in CHALLENGE_STATUSES else FailureCode.FETCH_FAILED
    return Failure(code, message, FailureStage.RENDER, facts=record)


async def _extract(ingester: Ingester, found: Media, rendered: Rendered) -> Article | ExtractFailed:
    body = (rendered.html or "").encode("utf-8", "replace")
    final_url = str(rendered.final_url)
    content_type = "text/html; charset=utf-8"
    page = Page(body, final_url, found.id, content_type, rendered.status, found.canonical_url or final_url)
    return await ingester.extractors.extract(page)


async def _store_screenshot(renderer: Renderer, media_id: UUID, rendered: Rendered, record: AttemptRecord) -> bool:
    """The blob first, its key after: a key without a blob would be a broken image."""
    if rendered.thumbnail is None:
        return False
    key = screenshot_key(media_id)
    await renderer.blobs.put(key, rendered.thumbnail.data, rendered.thumbnail.content_type)
    told = replace(record, found=("screenshot",))
    await renderer.ingester.database.write(_record_screenshot, media_id, key, told, renderer.ingester.now())
    return True


def _record_screenshot(tx: Connection, media_id: UUID, key: str, record: AttemptRecord, now: datetime) -> None:
    found = media.find_media(tx, media_id, lock=True)
    if found is None or found.has_image:
        return
    finished = {"thumbnail_key": key, "enriched_at": now, "enrichment_error": None}
    lifecycles.apply_move(tx, found.state, EnrichmentStatus.SUCCEEDED, at=now, record=record, **finished)
    events.publish_event(tx, media_id, "card", now)


async def _finish(
    ingester: Ingester, job: ClaimedJob, found: Media, rendered: Rendered, article: Article, record: AttemptRecord
) -> str:
    names_it = keeps_identity(get_url(found.source_url), rendered.final_url)
    canonical_url = rendered.final_url if names_it else None
    read = ReadArticle(article, canonical_url, replace(record, attempt=job.attempt), ingester.now())
    follow_ups = FollowUps(store_images=ingester.settings.store_images, screenshot=False)
    return await finish_article(ingester, job, read, follow_ups)


def _finish_screenshot(tx: Connection, job: ClaimedJob, now: datetime) -> None:
    found = media.find_media(tx, job.subject_id, lock=True)
    queue.finish(tx, job)
    if found is not None and found.enrichment_status is EnrichmentStatus.PENDING:
        settle_card(tx, found, found.state, error=NO_SCREENSHOT, now=now)
