"""The `render` job: one browser visit gives a media what it lacks, its article, its picture, or both."""

import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchFailed
from kept.storage.jobs import queue
from kept.storage.jobs.queue import ClaimedJob
from kept.observability import RENDER_SECONDS, RENDERS
from kept.services.ingesting import end_attempt
from kept.services.ingesting.end_attempt import Failure, Previous
from kept.services.ingesting.ingest_media import Ingester, announce_follow_ups
from kept.services.ingesting.store_article import ReadArticle, keep_article
from kept.storage import events, lifecycles, media
from kept.storage.blobs.store import BlobStore
from kept.storage.images import screenshot_key
from kept.urls.identity import keeps_identity
from kept.urls.url import get_url

log = structlog.get_logger("kept.render")

# What a visit may take of the job's own time; the rest is for extraction and the database.
VISIT_SHARE = 0.75
CHALLENGE_STATUSES = frozenset({401, 403, 429, 503})


@dataclass(frozen=True, slots=True)
class Renderer:
    """What rendering needs; made once by the wiring."""

    ingester: Ingester
    browsers: BrowserPool
    blobs: BlobStore


@dataclass(frozen=True, slots=True)
class Needs:
    article: bool
    picture: bool


async def render_media(renderer: Renderer, job: ClaimedJob) -> None:
    started = time.perf_counter()
    outcome = await attempt(renderer, job)
    seconds = time.perf_counter() - started
    RENDERS.labels(outcome).inc()
    RENDER_SECONDS.observe(seconds)
    log.info(f"render.{outcome}", media_id=str(job.subject_id), attempt=job.attempt, ms=round(seconds * 1000))


async def attempt(renderer: Renderer, job: ClaimedJob) -> str:
    async with renderer.ingester.database.read() as tx:
        found = await media.find_media(tx, job.subject_id)
    needs = decide_needs(found)
    if found is None or not (needs.article or needs.picture):
        async with renderer.ingester.database.write() as tx:
            await queue.finish(tx, job)
        return "nothing_to_do"
    if needs.picture:
        await renderer.blobs.require()
    await tell_of_loss(renderer, job)
    url = get_url(found.canonical_url or found.source_url)
    seconds = renderer.ingester.settings.job_seconds * VISIT_SHARE
    match await renderer.browsers.render(url, want_html=needs.article, want_screenshot=needs.picture, seconds=seconds):
        case FetchFailed() as failed:
            return await give_in(renderer, job, end_attempt.from_fetch(failed, FailureStage.RENDER))
        case Rendered() as rendered:
            return await use(renderer, job, found, needs, rendered)


async def tell_of_loss(renderer: Renderer, job: ClaimedJob) -> None:
    if job.attempt <= 1:
        return
    now = utc_now()
    async with renderer.ingester.database.write() as tx:
        found = await media.find_media(tx, job.subject_id, lock=True)
        if found is not None and await end_attempt.classify_previous(tx, job) is Previous.LOST:
            await queue.require_held(tx, job)
            await end_attempt.tell(tx, found, end_attempt.describe_loss(job, now), now)


def decide_needs(found: Media | None) -> Needs:
    if found is None or found.processing_status is ProcessingStatus.INVALID_URL:
        return Needs(article=False, picture=False)
    return Needs(article=found.processing_status is ProcessingStatus.EXTRACTING, picture=not found.has_picture)


async def use(renderer: Renderer, job: ClaimedJob, found: Media, needs: Needs, rendered: Rendered) -> str:
    history = describe(rendered)
    if rendered.status >= 400:
        return await give_in(renderer, job, refused(rendered, history))
    extracted = await extract(renderer, found, rendered, history) if needs.article else None
    if isinstance(extracted, ExtractFailed) and extracted.code is FailureCode.EXTRACT_CHALLENGE:
        # A picture of a robot check is no picture of the page.
        return await give_in(renderer, job, end_attempt.from_extraction(extracted, history))
    thumbnail_key = await store_thumbnail(renderer, found.id, rendered)
    if thumbnail_key is not None:
        await record_thumbnail(renderer, found.id, thumbnail_key, history)
    match extracted:
        case Article():
            return await keep(renderer, job, found, rendered, extracted, history)
        case ExtractFailed():
            failure = end_attempt.from_extraction(extracted, history)
            return await give_in(renderer, job, failure, extracted)
        case None:
            return await finish_picture(renderer, job, thumbnail_key)


def describe(rendered: Rendered) -> dict[str, Any]:
    return {
        "via": "browser",
        "http_status": rendered.status,
        "redirects": rendered.redirects,
        "fetch_ms": round(rendered.timings.total_ms),
    }


def refused(rendered: Rendered, history: dict[str, Any]) -> Failure:
    message = f"The site answered with an error ({rendered.status})."
    code = FailureCode.EXTRACT_CHALLENGE if rendered.status in CHALLENGE_STATUSES else FailureCode.FETCH_FAILED
    return Failure(code, message, FailureStage.RENDER, http_status=rendered.status, history=history)


async def extract(
    renderer: Renderer, found: Media, rendered: Rendered, history: dict[str, Any]
) -> Article | ExtractFailed:
    started = time.perf_counter()
    body = (rendered.html or "").encode("utf-8", "replace")
    final_url = str(rendered.final_url)
    extracted = await renderer.ingester.extractors.extract(
        Page(body, final_url, found.id, "text/html; charset=utf-8", rendered.status, found.canonical_url or final_url)
    )
    history["extract_ms"] = round((time.perf_counter() - started) * 1000)
    return extracted


async def store_thumbnail(renderer: Renderer, media_id: UUID, rendered: Rendered) -> str | None:
    """The blob first, its key after: a key without a blob would be a broken picture."""
    if rendered.thumbnail is None:
        return None
    key = screenshot_key(media_id)
    await renderer.blobs.put(key, rendered.thumbnail.data, rendered.thumbnail.content_type)
    return key


async def record_thumbnail(renderer: Renderer, media_id: UUID, key: str, history: dict[str, Any]) -> None:
    now = utc_now()
    async with renderer.ingester.database.write() as tx:
        found = await media.find_media(tx, media_id, lock=True)
        if found is None or found.has_picture:
            return
        await lifecycles.apply_move(
            tx,
            found.standing,
            EnrichmentStatus.SUCCEEDED,
            at=now,
            history=history | {"found": ["screenshot"]},
            thumbnail_key=key,
            enriched_at=now,
            enrichment_error=None,
        )
        await events.tell_libraries(tx, media_id, "card", now)


async def keep(
    renderer: Renderer,
    job: ClaimedJob,
    found: Media,
    rendered: Rendered,
    article: Article,
    history: dict[str, Any],
) -> str:
    names_it = keeps_identity(get_url(found.source_url), rendered.final_url)
    now = utc_now()
    read = ReadArticle(article, rendered.final_url if names_it else None, history | {"attempt": job.attempt}, now)
    async with renderer.ingester.database.write() as tx:
        stays = await keep_article(tx, renderer.ingester.settings, job, read, can_render=False, now=now)
    announce_follow_ups(renderer.ingester, stays)
    return "ready" if stays == found.id else "merged" if stays else "gone"


async def finish_picture(renderer: Renderer, job: ClaimedJob, thumbnail_key: str | None) -> str:
    now = utc_now()
    async with renderer.ingester.database.write() as tx:
        found = await media.find_media(tx, job.subject_id, lock=True)
        await queue.finish(tx, job)
        if found is not None and found.enrichment_status is EnrichmentStatus.PENDING:
            await end_attempt.settle_card(
                tx, found, found.standing, error="No picture of the page could be made.", now=now
            )
    return "pictured" if thumbnail_key else "failed"


async def give_in(renderer: Renderer, job: ClaimedJob, failure: Failure, extracted: ExtractFailed | None = None) -> str:
    ingester = renderer.ingester
    run_at = end_attempt.decide_next_attempt(job, failure, ingester.settings, now=utc_now())
    if run_at is not None:
        async with ingester.database.write() as tx:
            found = await media.find_media(tx, job.subject_id, lock=True)
            if found is not None:
                await end_attempt.retry_later(tx, job, found, failure, run_at=run_at, now=utc_now())
        return "retried"
    async with ingester.database.write() as tx:
        found = await end_attempt.fill_gaps(tx, job.subject_id, extracted, utc_now())
        if found is not None:
            await end_attempt.fail(tx, job, found, failure, now=utc_now())
    return "failed"
