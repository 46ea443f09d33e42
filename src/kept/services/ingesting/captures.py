"""The job `capture`: a browser visits a page, and copies of the whole page are stored."""

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import BinaryIO, Final
from uuid import UUID

import structlog

from kept.domain.attempt import RetryAt, decide_retry
from kept.domain.capture import CONTENT_TYPES, CaptureFailure, CaptureFormat
from kept.domain.errors import PageUnreadable, QuotaExceeded, TooLarge
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.fetch.browser.messages import MHTML_FILE, PDF_FILE, PNG_FILE
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import MESSAGES, FetchFailed, FetchReason
from kept.metrics import CAPTURES
from kept.services.ingesting.worker import Ingester, Renderer
from kept.services.pages.files import PageFiles, require_room, store_capture_file, store_static_page
from kept.storage import captures, events
from kept.storage.captures import NewCapture, capture_key
from kept.storage.database.engine import Connection
from kept.storage.media import find_media
from kept.storage.queue import queue
from kept.urls.url import get_url

log = structlog.get_logger("kept.captures")
WAIT_FOR_OTHERS: Final = timedelta(seconds=2)
# The share of the job's time for a visit; the rest is for the static page and the blobs.
VISIT_SHARE: Final = 0.6
GOES_NOWHERE: Final = frozenset({ProcessingStatus.INVALID_URL, ProcessingStatus.BLOCKED})
NOTHING_CAME: Final = MESSAGES[FetchReason.BROWSER_FAILED]
FORMATS: Final = {MHTML_FILE: CaptureFormat.MHTML, PNG_FILE: CaptureFormat.PNG, PDF_FILE: CaptureFormat.PDF}


async def capture_media(renderer: Renderer, job: ClaimedJob) -> None:
    """Run the `capture` job: a browser visits a page, and copies of the whole page are stored.

    While an ingest or render job for the page is queued, this job waits: that visit may bring the whole page too, and
    then nothing is left to do.
    """
    ingester = renderer.ingester
    found = await ingester.database.write(_begin, job, ingester.now())
    if found is None:
        return
    await renderer.blobs.require()
    seconds = ingester.settings.limits.job_seconds * VISIT_SHARE
    url = get_url(found.canonical_url or found.source_url)
    rendered = await renderer.browsers.render(
        url, want_html=False, want_screenshot=False, seconds=seconds, capture=True
    )
    outcome = await _end(ingester, job, found, rendered)
    CAPTURES.labels(outcome).inc()
    log.info(f"captures.{outcome}", media_id=str(found.id), attempt=job.attempt)


def _begin(tx: Connection, job: ClaimedJob, now: datetime) -> Media | None:
    """Return the media to visit; None where there is nothing to do, or not yet."""
    media = find_media(tx, job.subject_id, lock=True)
    if media is None or media.is_private or media.is_document or media.processing_status in GOES_NOWHERE:
        queue.finish(tx, job)
        return None
    others = (queue.find_job(tx, kind, media.id) for kind in (JobKind.INGEST, JobKind.RENDER))
    if any(other is not None for other in others):
        queue.retry_later(tx, job, now + WAIT_FOR_OTHERS, counts=False)
        return None
    return media


async def _end(ingester: Ingester, job: ClaimedJob, media: Media, rendered: Rendered | FetchFailed) -> str:
    if isinstance(rendered, FetchFailed):
        return await _fail(ingester, job, rendered)
    with ExitStack() as files:
        for file in rendered.captures.values():
            files.enter_context(file)
        if rendered.status >= 400:
            answered = FetchFailed(FetchReason.HTTP_STATUS, http_status=rendered.status)
            return await _give_up(ingester, job, answered.code, answered.message)
        refusal = await store_captures(ingester, media, rendered, job)
    if refusal is not None:
        return await _give_up(ingester, job, FailureCode.INGEST_FAILED, refusal)
    await ingester.database.write(queue.finish, job)
    return "stored"


async def _fail(ingester: Ingester, job: ClaimedJob, failed: FetchFailed) -> str:
    settings = ingester.settings
    decision = decide_retry(
        attempt=job.attempt,
        max_attempts=settings.max_attempts,
        now=ingester.now(),
        base_seconds=settings.retry_backoff_base,
        is_transient=failed.is_transient,
    )
    if isinstance(decision, RetryAt):
        await ingester.database.write(queue.retry_later, job, decision.at)
        return "retried"
    return await _give_up(ingester, job, failed.code, failed.message)


async def _give_up(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> str:
    await ingester.database.write(give_up_capture, job, code, message, now=ingester.now())
    return "failed"


async def store_captures(ingester: Ingester, media: Media, rendered: Rendered, job: ClaimedJob) -> str | None:
    """Store a visit's copies of a whole page: MHTML, screenshot, PDF, and a static page made of the MHTML.

    The blobs are stored before their rows. Returns why nothing was stored, for people; None if it was.
    """
    made = [await _store_file(ingester.files, media.id, name, file) for name, file in rendered.captures.items()]
    mhtml = rendered.captures.get(MHTML_FILE)
    static = await _make_static(ingester.files, media.id, str(rendered.final_url), mhtml) if mhtml else None
    made += [static] if static is not None else []
    if not made:
        return NOTHING_CAME
    quota = ingester.settings.whole_page_quota_bytes
    try:
        former = await ingester.database.write(_record, media.id, made, job.actor_user_id, quota, ingester.now())
    except QuotaExceeded as error:
        await _delete(ingester.files, (one.blob_key for one in made))
        log.warning("captures.no_room", media_id=str(media.id))
        return error.message
    await _delete(ingester.files, former)
    log.info("captures.stored", media_id=str(media.id), bytes=sum(one.size for one in made))
    return None


async def _store_file(files: PageFiles, media_id: UUID, name: str, file: BinaryIO) -> NewCapture:
    kind, key = FORMATS[name], capture_key(media_id, name)
    return await store_capture_file(files.blobs, key, file, kind, CONTENT_TYPES[kind])


async def _make_static(files: PageFiles, media_id: UUID, url: str, mhtml: BinaryIO) -> NewCapture | None:
    try:
        async with files.readers.start(mhtml) as reader:
            await reader.open(url, is_article=False)
            return await store_static_page(files, reader, media_id)
    except (PageUnreadable, TooLarge) as error:
        log.warning("captures.no_static_page", media_id=str(media_id), reason=error.message)
        return None


def _record(
    tx: Connection, media_id: UUID, made: list[NewCapture], user_id: UUID | None, quota_bytes: int, now: datetime
) -> list[str]:
    """Write the rows of captures; return the keys of blobs that are no longer needed."""
    if find_media(tx, media_id, lock=True) is None:  # merged or removed meanwhile
        return [one.blob_key for one in made]
    if user_id is not None:
        require_room(tx, user_id, sum(one.size for one in made), quota_bytes)
    formats = {one.format for one in made}
    former = [one.blob_key for one in captures.list_captures(tx, media_id) if one.format in formats]
    for one in made:
        captures.put_capture(tx, media_id, one, user_id, now)
    captures.delete_failure(tx, media_id)
    events.publish_event(tx, media_id, "changed", now)
    return former


async def _delete(files: PageFiles, keys: Iterable[str]) -> None:
    for key in keys:
        await files.blobs.delete(key)


async def abandon_capture(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """Fail a capture whose attempts are used up; the executor calls this. The article stays without a whole page."""
    await ingester.database.write(give_up_capture, job, code, message, now=ingester.now())
    CAPTURES.labels("given_up").inc()
    log.warning("captures.given_up", media_id=str(job.subject_id), code=code, reason=message)


def give_up_capture(tx: Connection, job: ClaimedJob, code: FailureCode, message: str, *, now: datetime) -> None:
    """End a capture that brought nothing, and store the reason for the whole page's view."""
    is_there = find_media(tx, job.subject_id, lock=True) is not None
    queue.finish(tx, job)
    if is_there:
        captures.put_failure(tx, job.subject_id, CaptureFailure(code, message, now))
        events.publish_event(tx, job.subject_id, "changed", now)
