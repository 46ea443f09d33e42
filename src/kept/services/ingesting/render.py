"""The `render` job: one browser visit gives a media what it lacks, its article, its image, or both."""

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from kept.config import Settings
from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.page.description import MAX_TITLE, PageMetadata
from kept.content.page.kinds import MESSAGES, classify_drawn
from kept.content.page.text_cleaning import clean_line, shorten
from kept.domain.attempt import AttemptRecord, Failure, Via
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media, MediaKind
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchFailed, FetchReason, say_status
from kept.services.ingesting.articles import (
    FollowUps,
    JoinedArticle,
    ReadArticle,
    SavedPage,
    describe_article,
    finish_article,
    join_pages,
)
from kept.services.ingesting.attempts import AttemptEnd, EndedAttempt, end_attempt, run_attempt
from kept.services.ingesting.captures import store_captures
from kept.services.ingesting.failures import (
    describe_lost_attempt,
    explain_error_page,
    explain_failure,
    explain_front_page,
    record_attempt,
)
from kept.services.ingesting.worker import Ingester, Renderer, wait_for_programs
from kept.services.pages.states import queue_follow_up, settle_card, wants_capture
from kept.storage import events, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.images import screenshot_key
from kept.storage.media import find_media, update_media
from kept.storage.queue import queue
from kept.storage.search import index
from kept.urls.identity import keeps_identity
from kept.urls.url import get_url

# The share of the job's time for a visit; the rest is for extraction and the database.
VISIT_SHARE: Final = 0.75
# The share for the visit and further pages together.
READING_SHARE: Final = 0.9
NO_SCREENSHOT: Final = "No screenshot of the page could be taken."
ERROR_PAGE: Final = "The site shows an error now instead of the page."

# An error page is no cover of the page. A wall is what visitors see of it.
NO_COVER: Final = frozenset({FailureCode.FETCH_FAILED, FailureCode.EXTRACT_SOFT_404})
# These are what a browser that comes first cannot draw.
DOCUMENTS: Final = {
    FailureCode.FETCH_KIND_MISMATCH_PDF: MediaKind.PDF,
    FailureCode.FETCH_KIND_MISMATCH_EPUB: MediaKind.EPUB,
}
# What a render job takes over once the worker has used up its own attempts.
HAD_ATTEMPTS: Final = frozenset({FailureCode.FETCH_FAILED, FailureCode.INGEST_TIMEOUT, FailureCode.INGEST_FAILED})


@dataclass(frozen=True, slots=True)
class _Needs:
    article: bool
    image: bool


async def render_media(renderer: Renderer, job: ClaimedJob) -> None:
    attempt = partial(_attempt, renderer)
    await run_attempt(renderer.ingester, job, _begin_attempt, attempt, reading_share=READING_SHARE)


async def _attempt(renderer: Renderer, job: ClaimedJob, media: Media, deadline: float) -> EndedAttempt:
    needs = _decide_needs(media)
    if needs.article and await wait_for_programs(renderer.ingester, job):
        return EndedAttempt(AttemptEnd.WAITING)
    if needs.image:
        await renderer.blobs.require()
    url = get_url(media.canonical_url or media.source_url)
    seconds = renderer.ingester.settings.limits.job_seconds * VISIT_SHARE
    capture = await renderer.ingester.database.read(_wants_capture, media, renderer.ingester.settings)
    match await renderer.browsers.render(
        url, want_html=needs.article, want_screenshot=needs.image, seconds=seconds, capture=capture
    ):
        case FetchFailed() as failed:
            failure = explain_failure(failed, AttemptRecord(via=Via.BROWSER))
            return await _end_visit(renderer.ingester, job, failure)
        case Rendered() as rendered:
            with ExitStack() as files:
                for file in rendered.captures.values():
                    files.enter_context(file)
                await _store_captures(renderer.ingester, job, media, rendered)
            return await _use(renderer, job, media, rendered, deadline)


def _wants_capture(tx: Connection, media: Media, settings: Settings) -> bool:
    """Return whether this visit brings the whole page too, because that is wanted or queued."""
    is_queued = queue.find_job(tx, JobKind.CAPTURE, media.id) is not None
    return not media.is_private and (is_queued or wants_capture(tx, media, settings))


def _says_error(rendered: Rendered) -> bool:
    # here alone: a worker that visits nothing does without a parser
    from kept.content.page.challenge import says_error

    return says_error(rendered.title)


async def _store_captures(ingester: Ingester, job: ClaimedJob, media: Media, rendered: Rendered) -> None:
    if rendered.status >= 400 or _says_error(rendered) or not rendered.captures:
        return
    if explain_front_page(media, rendered.final_url, _describe(rendered)) is None:
        await store_captures(ingester, media, rendered, job)
        await ingester.database.write(queue.cancel, JobKind.CAPTURE, media.id)


def _begin_attempt(tx: Connection, ingester: Ingester, job: ClaimedJob, media: Media, now: datetime) -> Media | None:
    """Return the media; None if it lacks nothing, and the job is finished."""
    needs = _decide_needs(media)
    if not (needs.article or needs.image):
        queue.finish(tx, job)
        return None
    if job.is_previous_lost:
        queue.require_held(tx, job)
        record_attempt(tx, media, describe_lost_attempt(job, now), now)
    return media


def _decide_needs(media: Media) -> _Needs:
    return _Needs(article=media.processing_status is ProcessingStatus.EXTRACTING, image=not media.has_image)


async def _use(renderer: Renderer, job: ClaimedJob, media: Media, rendered: Rendered, deadline: float) -> EndedAttempt:
    other_page = explain_front_page(media, rendered.final_url, _describe(rendered)) or _find_file(rendered)
    if other_page is not None:
        return await _end_visit(renderer.ingester, job, other_page)
    if not _decide_needs(media).article:
        return await _use_screenshot(renderer, job, media, rendered)
    ingester, started = renderer.ingester, time.perf_counter()
    page = _as_page(media, rendered)
    extracted = await ingester.pages.extract(page, job.actor_user_id) if rendered.status < 400 else None
    if isinstance(extracted, Article) and not _may_be_half_a_page(job):
        saved_url = get_url(media.canonical_url or media.source_url)
        saved = SavedPage(page, saved_url, job.actor_user_id, max(0.0, deadline - time.perf_counter()))
        joined = await join_pages(ingester.pages, extracted, saved)
        record = replace(_describe(rendered), extract_ms=round((time.perf_counter() - started) * 1000))
        await _fill_title_of_route(renderer, media, rendered)
        await _store_screenshot(renderer, media.id, rendered, record)
        return await _finish(ingester, job, media, rendered, joined, record)
    record = replace(_describe(rendered), extract_ms=round((time.perf_counter() - started) * 1000))
    failure = await _explain(ingester, job, page, extracted, record)
    if failure.code is FailureCode.EXTRACT_NO_CONTENT:
        await _fill_title_of_route(renderer, media, rendered)
    if isinstance(extracted, Article) or failure.code not in NO_COVER:
        await _store_screenshot(renderer, media.id, rendered, record)
    return await _end_visit(ingester, job, failure, extracted.metadata if extracted else None)


def _find_file(rendered: Rendered) -> Failure | None:
    """Return a failure if the site calls a file a page."""
    code = classify_drawn(rendered.html or "")
    return Failure(code, MESSAGES[code], FailureStage.RENDER, facts=_describe(rendered)) if code is not None else None


async def _use_screenshot(renderer: Renderer, job: ClaimedJob, media: Media, rendered: Rendered) -> EndedAttempt:
    """Store a screenshot of a page whose article is there, or cannot be made."""
    record = _describe(rendered)
    if rendered.status >= 400:
        return await _end_visit(renderer.ingester, job, _explain_status(rendered.status, record))
    if _says_error(rendered):
        failure = Failure(FailureCode.EXTRACT_SOFT_404, ERROR_PAGE, FailureStage.RENDER, facts=record)
        return await _end_visit(renderer.ingester, job, failure)
    await _fill_title_of_route(renderer, media, rendered)
    has_screenshot = await _store_screenshot(renderer, media.id, rendered, record)
    await renderer.ingester.database.write(_finish_screenshot, job, renderer.ingester.now())
    return EndedAttempt(AttemptEnd.SCREENSHOT if has_screenshot else AttemptEnd.FAILED)


# --- failures -----------------------------------------------------------------------------------------------------


def _may_be_half_a_page(job: ClaimedJob) -> bool:
    """Return whether the article may lack its end: Chromium takes a truncated stream for the whole page."""
    return job.first_failure is not None and job.first_failure.reason == FetchReason.INCOMPLETE


async def _explain(
    ingester: Ingester, job: ClaimedJob, page: Page, extracted: Article | ExtractFailed | None, record: AttemptRecord
) -> Failure:
    match extracted:
        case ExtractFailed():
            return explain_failure(extracted, record)
        case Article():
            incomplete = FetchFailed(FetchReason.INCOMPLETE)
            return replace(explain_failure(incomplete, AttemptRecord(via=Via.BROWSER)), facts=record)
        case None:
            return await explain_error_page(ingester, page, _explain_status(page.status, record))


def _explain_status(status: int | None, record: AttemptRecord) -> Failure:
    return Failure(FailureCode.FETCH_FAILED, str(say_status(status)), FailureStage.RENDER, facts=record)


async def _end_visit(
    ingester: Ingester, job: ClaimedJob, failure: Failure, page: PageMetadata | None = None
) -> EndedAttempt:
    kind = DOCUMENTS.get(failure.code)
    if kind is not None and await ingester.database.write(_hand_back, job, kind, ingester.now()):
        ingester.notifier.notify(JobKind.INGEST, job.subject_id)
        return EndedAttempt(AttemptEnd.HANDED_BACK)
    is_last = job.attempt >= ingester.settings.max_attempts
    return await end_attempt(ingester, job, _weigh(failure, job.first_failure, is_last=is_last), page)


def _hand_back(tx: Connection, job: ClaimedJob, kind: MediaKind, now: datetime) -> bool:
    """Have a document fetched instead of drawn; return False if it cannot be one, or that was tried already."""
    media = find_media(tx, job.subject_id, lock=True)
    if media is None or media.is_document or not (media.accepts_documents and _decide_needs(media).article):
        return False
    queue.finish(tx, job)
    update_media(tx, media.id, now, kind=kind)
    queue_follow_up(tx, job, JobKind.INGEST, media, now)
    return True


def _weigh(failure: Failure, first: AttemptRecord | None, *, is_last: bool) -> Failure:
    """Return what a visit's failure means after the worker's own attempts failed.

    The browser is sent again only if it broke down; if none ever drew the page, the worker's own failure stands.
    """
    if first is None or first.code not in HAD_ATTEMPTS:
        return failure
    is_broken_down = failure.code is FailureCode.INGEST_FAILED and first.code != failure.code
    if is_broken_down and failure.is_transient and not is_last:
        return failure
    if failure.code not in {FailureCode.INGEST_FAILED, FailureCode.INGEST_TIMEOUT}:
        return replace(failure, is_transient=False)
    stage = FailureStage.FETCH if first.code == FailureCode.FETCH_FAILED else FailureStage.EXTRACT
    facts = replace(failure.facts, http_status=first.http_status, reason=first.reason)
    return Failure(FailureCode(first.code), first.message or failure.message, stage, facts=facts)


# --- what a visit brings ------------------------------------------------------------------------------------------


async def _fill_title_of_route(renderer: Renderer, media: Media, rendered: Rendered) -> None:
    if rendered.final_url.route is not None and media.title is None:
        ingester = renderer.ingester
        await ingester.database.write(_fill_title, media.id, rendered.title, ingester.now())


def _fill_title(tx: Connection, media_id: UUID, title: str, now: datetime) -> None:
    """Set the title of a page that a script draws to its document's title; its other tags are the whole site's."""
    cleaned = shorten(clean_line(title[: 2 * MAX_TITLE]), MAX_TITLE)
    if cleaned:
        update_media(tx, media_id, now, title=cleaned)
        index.index_page(tx, media_id)


def _describe(rendered: Rendered) -> AttemptRecord:
    return AttemptRecord(
        via=Via.BROWSER,
        http_status=rendered.status,
        redirects=rendered.redirects,
        fetch_ms=round(rendered.timings.total_ms),
    )


def _as_page(media: Media, rendered: Rendered) -> Page:
    body = (rendered.html or "").encode("utf-8", "replace")
    final_url = str(rendered.final_url)
    content_type = f"{rendered.content_type or 'text/html'}; charset=utf-8"  # as we encoded it
    return Page(body, final_url, media.id, content_type, rendered.status, media.canonical_url or final_url)


async def _store_screenshot(renderer: Renderer, media_id: UUID, rendered: Rendered, record: AttemptRecord) -> bool:
    """Store a screenshot: the blob first and then its key, because a key without a blob would be a broken image."""
    if rendered.thumbnail is None:
        return False
    key = screenshot_key(media_id)
    await renderer.blobs.put(key, rendered.thumbnail.data, rendered.thumbnail.content_type)
    told = replace(record, found=("screenshot",))
    await renderer.ingester.database.write(_record_screenshot, media_id, key, told, renderer.ingester.now())
    return True


def _record_screenshot(tx: Connection, media_id: UUID, key: str, record: AttemptRecord, now: datetime) -> None:
    media = find_media(tx, media_id, lock=True)
    if media is None or media.has_image:
        return
    finished = {"thumbnail_key": key, "enriched_at": now, "enrichment_error": None}
    lifecycles.apply_move(tx, media.state, EnrichmentStatus.SUCCEEDED, at=now, record=record, **finished)
    events.publish_event(tx, media_id, "card", now)


async def _finish(
    ingester: Ingester, job: ClaimedJob, media: Media, rendered: Rendered, joined: JoinedArticle, record: AttemptRecord
) -> EndedAttempt:
    names_it = keeps_identity(get_url(media.source_url), rendered.final_url)
    canonical_url = rendered.final_url if names_it else None
    described = describe_article(replace(record, attempt=job.attempt), joined)
    read = ReadArticle(joined.article, canonical_url, described, ingester.now(), pages=joined.pages)
    follow_ups = FollowUps(store_images=ingester.settings.store_images, screenshot=False)
    return await finish_article(ingester, job, read, follow_ups)


def _finish_screenshot(tx: Connection, job: ClaimedJob, now: datetime) -> None:
    media = find_media(tx, job.subject_id, lock=True)
    queue.finish(tx, job)
    if media is not None and media.enrichment_status is not EnrichmentStatus.SUCCEEDED:
        settle_card(tx, media, media.state, error=NO_SCREENSHOT, now=now)
