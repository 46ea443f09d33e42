"""The `capture` job: a browser visits a page and keeps what it looks like.

Where the page is to be visited anyway, for its article or its image, that visit brings the whole page too, and this job
has nothing left to do: so it waits for as long as another job for the page is queued.
"""

from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Final

from kept.domain.backoff import RetryAt, decide_retry
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.logs import structlog
from kept.observability import CAPTURES
from kept.services.ingesting.give_up_capture import give_up_capture
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.render_media import Renderer
from kept.services.ingesting.store_captures import store_captures
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import get_url

log = structlog.get_logger("kept.captures")

WAIT_FOR_OTHERS: Final = timedelta(seconds=2)
# What a visit may take of the job's own time; the rest is for the static page and the blobs.
VISIT_SHARE: Final = 0.6
GOES_NOWHERE: Final = frozenset({ProcessingStatus.INVALID_URL, ProcessingStatus.BLOCKED})


async def capture_media(renderer: Renderer, job: ClaimedJob) -> None:
    ingester = renderer.ingester
    found = await ingester.database.write(_begin, job, ingester.now())
    if found is None:
        return
    await renderer.blobs.require()
    seconds = ingester.settings.job_seconds * VISIT_SHARE
    url = get_url(found.canonical_url or found.source_url)
    rendered = await renderer.browsers.render(
        url, want_html=False, want_screenshot=False, seconds=seconds, capture=True
    )
    outcome = await _end(ingester, job, found, rendered)
    CAPTURES.labels(outcome).inc()
    log.info(f"captures.{outcome}", media_id=str(found.id), attempt=job.attempt)


def _begin(tx: Connection, job: ClaimedJob, now: datetime) -> Media | None:
    """The media to visit; None where there is nothing to do, or not yet."""
    found = media.find_media(tx, job.subject_id, lock=True)
    if found is None or found.is_private or found.is_document or found.processing_status in GOES_NOWHERE:
        queue.finish(tx, job)
        return None
    others = (queue.find_job(tx, kind, found.id) for kind in (JobKind.INGEST, JobKind.RENDER))
    if any(other is not None for other in others):
        queue.retry_later(tx, job, now + WAIT_FOR_OTHERS, counts=False)
        return None
    return found


async def _end(ingester: Ingester, job: ClaimedJob, found: Media, rendered: Rendered | FetchFailed) -> str:
    if isinstance(rendered, FetchFailed):
        return await _fail(ingester, job, rendered)
    with ExitStack() as files:
        for file in rendered.captures.values():
            files.enter_context(file)
        if rendered.status >= 400:
            answered = FetchFailed(FetchReason.HTTP_STATUS, http_status=rendered.status)
            return await _give_up(ingester, job, answered.code, answered.message)
        refusal = await store_captures(ingester, found, rendered, job)
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
        retry_after_seconds=None,
    )
    if failed.transient and isinstance(decision, RetryAt):
        await ingester.database.write(queue.retry_later, job, decision.at)
        return "retried"
    return await _give_up(ingester, job, failed.code, failed.message)


async def _give_up(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> str:
    await ingester.database.write(give_up_capture, job, code, message, now=ingester.now())
    return "failed"
