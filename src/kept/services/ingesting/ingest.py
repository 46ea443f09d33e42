"""The `ingest` job: a media's page, from the save's snapshot or fetched anew, becomes its article.

The worker has only a media id; the database decides what is missing.
"""

import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import BinaryIO, Final, cast

from kept.compression import decompress
from kept.content.article.article import ExtractFailed, Page
from kept.content.documents.recognise import HEAD_BYTES, find_file_name, recognise
from kept.content.page.description import PageMetadata
from kept.content.page.kinds import MESSAGES, classify_body
from kept.domain.attempt import NO_FAILURE, AttemptRecord, Failure, Via
from kept.domain.capture import Capture
from kept.domain.document import DocumentType
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, wants_article
from kept.domain.media import Media, wants_screenshot
from kept.fetch.limits import worker_limits
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.services.ingesting.articles import (
    FollowUps,
    ReadArticle,
    SavedPage,
    describe_article,
    finish_article,
    read_whole_article,
)
from kept.services.ingesting.attempts import AttemptEnd, EndedAttempt, end_attempt, hand_over_to_browser, run_attempt
from kept.services.ingesting.documents import FoundDocument, ingest_document
from kept.services.ingesting.failures import (
    describe_lost_attempt,
    explain_error_page,
    explain_failure,
    explain_front_page,
)
from kept.services.ingesting.uploads import ingest_upload
from kept.services.ingesting.worker import Ingester, wait_for_programs
from kept.services.pages.states import describe_fetch, queue_follow_up, settle_card
from kept.storage import captures, copies, events, lifecycles
from kept.storage.database.engine import Connection
from kept.storage.media import COPY_HEADER, Snapshot, delete_snapshot, find_media, find_snapshot, update_media
from kept.storage.queue import queue
from kept.urls.identity import keeps_identity
from kept.urls.url import NormalisedUrl, get_url

EVERY_PAGE: Final = "The browser visits every page."
BY_RULE: Final = "A site rule says that this page needs a browser."
# The share of the job's time for reading; the rest is for the database.
READING_SHARE: Final = 0.75
FILE_TOO_LARGE: Final = "This file is too large."
DRAWN_BY_A_SCRIPT: Final = Failure(
    FailureCode.EXTRACT_NO_CONTENT,
    "The part of the URL after the # is drawn by a script, which only a browser can run.",
    FailureStage.FETCH,
)


@dataclass(frozen=True, slots=True)
class _FoundPage:
    """The page to read, and how it was obtained."""

    body: bytes
    final_url: NormalisedUrl
    content_type: str | None
    status: int | None
    fetched_at: datetime
    record: AttemptRecord
    is_snapshot: bool
    is_copy: bool = False
    file_name: str = ""
    file: BinaryIO | None = None
    """The whole file, where `body` is only its beginning."""


@dataclass(frozen=True, slots=True)
class _NoPage:
    """Why there is no page, and what the part that arrived says about it."""

    failure: Failure
    metadata: PageMetadata | None = None


async def ingest_media(ingester: Ingester, job: ClaimedJob) -> None:
    if await wait_for_programs(ingester, job):
        return
    await run_attempt(ingester, job, _begin_attempt, partial(_attempt, ingester), reading_share=READING_SHARE)


# --- beginning ----------------------------------------------------------------------------------------------------


def _begin_attempt(tx: Connection, ingester: Ingester, job: ClaimedJob, media: Media, now: datetime) -> Media | None:
    """Return the media, now extracting; None if no article is to be made, and the job is finished."""
    is_copy = media.is_private or copies.is_being_made(tx, media.id)
    is_wanted = wants_article(media.processing_status, archives_saves=ingester.settings.archive, is_copy=is_copy)
    if media.is_readable or not is_wanted:
        _finish_without_article(tx, ingester, job, media, now)
        return None
    queue.require_held(tx, job)  # a worker that was away for long must not begin what others have ended
    _start_extracting(tx, job, media, now)
    return find_media(tx, job.subject_id)


def _finish_without_article(tx: Connection, ingester: Ingester, job: ClaimedJob, media: Media, now: datetime) -> None:
    """Finish the job where no article is to be made; the card may still need its image."""
    queue.finish(tx, job)
    delete_snapshot(tx, media.id)
    state = media.state
    if media.processing_status is ProcessingStatus.PENDING:
        state = lifecycles.apply_move(tx, state, ProcessingStatus.CARD_ONLY, at=now)
        events.publish_event(tx, media.id, "card", now)
    if media.enrichment_status is not EnrichmentStatus.PENDING:
        return
    if wants_screenshot(media, can_render=ingester.can_render):
        queue_follow_up(tx, job, JobKind.RENDER, media, now)
    else:
        settle_card(tx, media, state, error=media.enrichment_error, now=now)


def _start_extracting(tx: Connection, job: ClaimedJob, media: Media, now: datetime) -> None:
    counted = {"processing_attempts": media.processing_attempts + 1, "processing_started_at": now}
    has_line = media.processing_status is ProcessingStatus.EXTRACTING and job.attempt > 1 and not job.is_previous_lost
    if has_line:  # the attempt before this one said when the next would be
        update_media(tx, media.id, now, **counted)
        return
    record = describe_lost_attempt(job, now) if job.is_previous_lost else AttemptRecord(attempt=job.attempt)
    lifecycles.apply_move(tx, media.state, ProcessingStatus.EXTRACTING, at=now, record=record, **counted, **NO_FAILURE)


# --- the attempt --------------------------------------------------------------------------------------------------


async def _attempt(ingester: Ingester, job: ClaimedJob, media: Media, deadline: float) -> EndedAttempt:
    upload = await _find_upload(ingester, media)
    if upload is not None:
        return await ingest_upload(ingester, job, media, upload)
    why_browser = _explain_browser(ingester, media)
    if why_browser is not None:
        return await _leave_to_browser(ingester, job, why_browser)
    page = _NoPage(DRAWN_BY_A_SCRIPT) if _is_drawn_by_a_script(media) else await _find_page(ingester, media)
    if isinstance(page, _NoPage):
        return await end_attempt(ingester, job, page.failure, page.metadata)
    with page.file or nullcontext():
        return await _ingest_page(ingester, job, media, page, deadline)


async def _ingest_page(
    ingester: Ingester, job: ClaimedJob, media: Media, page: _FoundPage, deadline: float
) -> EndedAttempt:
    kind = _recognise(media, page)
    if kind is not None:
        with page.file or _as_file(page.body) as file:
            return await ingest_document(ingester, job, media, _as_document(media, page, kind, file))
    read = _read_back(page, ingester.settings.limits.fetch_max_bytes)
    if read is None:
        return await end_attempt(ingester, job, explain_failure(FetchFailed(FetchReason.TOO_LARGE), page.record))
    failure = _find_mismatch(read) or explain_front_page(media, read.final_url, read.record)
    if failure is not None:
        return await end_attempt(ingester, job, failure)
    return await _read(ingester, job, media, read, deadline)


def _explain_browser(ingester: Ingester, media: Media) -> str | None:
    """Return why the browser visits this page at once; None where it does not."""
    if not ingester.can_render or media.is_private or media.is_document:
        return None
    if ingester.settings.render == "always":
        return EVERY_PAGE
    rule = ingester.pages.find_rule(media.canonical_url or media.source_url)
    return BY_RULE if rule is not None and rule.browser else None


async def _find_upload(ingester: Ingester, media: Media) -> Capture | None:
    return await ingester.database.read(captures.find_uploaded, media.id) if media.is_private else None


# --- documents ----------------------------------------------------------------------------------------------------


def _recognise(media: Media, page: _FoundPage) -> DocumentType | None:
    """Return what kind of document the page is, if any; a private media is always an article."""
    if not media.accepts_documents or media.is_private:
        return None
    return recognise(page.body[:HEAD_BYTES], page.content_type, page.file_name)


def _as_file(body: bytes) -> BinaryIO:
    """Write the body to a temporary file, whose descriptor is given to the process that reads it."""
    file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 the caller closes it
    file.write(body)
    file.seek(0)
    return file


def _as_document(media: Media, page: _FoundPage, kind: DocumentType, file: BinaryIO) -> FoundDocument:
    return FoundDocument(
        file,
        kind,
        page.file_name,
        str(page.final_url),
        page.record,
        page.fetched_at,
        page.final_url if _names_it(media, page) else None,
        page.content_type,
    )


def _read_back(page: _FoundPage, max_bytes: int) -> _FoundPage | None:
    """Return the page with its whole body, for a page that its site calls a file; None if it is too large."""
    if page.file is None:
        return page
    body = page.file.read(max_bytes + 1)
    return replace(page, body=body, file=None) if len(body) <= max_bytes else None


def _names_it(media: Media, page: _FoundPage) -> bool:
    """Return whether the final URL names the page; the save has already decided that for a snapshot."""
    return not page.is_snapshot and keeps_identity(get_url(media.source_url), page.final_url)


def _find_mismatch(page: _FoundPage) -> Failure | None:
    code = classify_body(page.body)
    return Failure(code, MESSAGES[code], FailureStage.FETCH, facts=page.record) if code is not None else None


def _is_drawn_by_a_script(media: Media) -> bool:
    """Return whether a script draws the page; a private media needs no script, because it came as a file."""
    return get_url(media.canonical_url or media.source_url).route is not None and not media.is_private


async def _leave_to_browser(ingester: Ingester, job: ClaimedJob, why: str) -> EndedAttempt:
    end = await ingester.database.write(_hand_over, job, why, ingester.now())
    ingester.notifier.notify(JobKind.RENDER, job.subject_id)
    return EndedAttempt(end)


def _hand_over(tx: Connection, job: ClaimedJob, why: str, now: datetime) -> AttemptEnd:
    media = find_media(tx, job.subject_id, lock=True)
    if media is None:
        return AttemptEnd.GONE
    hand_over_to_browser(tx, job, media, AttemptRecord(message=why), now)
    return AttemptEnd.HANDED_OVER


async def _find_page(ingester: Ingester, media: Media) -> _FoundPage | _NoPage:
    snapshot = await ingester.database.read(find_snapshot, media.id)
    if snapshot is not None:
        return _from_snapshot(media, snapshot)
    url = get_url(media.canonical_url or media.source_url)
    limits = worker_limits(ingester.settings, accepts_documents=media.accepts_documents)
    fetched = await ingester.gate.fetch(url, limits)
    if isinstance(fetched, FetchFailed):
        if fetched.reason is FetchReason.TOO_LARGE and limits.is_file(fetched.content_type):
            return _explain_large_file(fetched)
        return await _explain(ingester, media, fetched.final_url or url, fetched)
    if fetched.final_url.route is not None:  # a redirect led there
        return _NoPage(DRAWN_BY_A_SCRIPT)
    return _FoundPage(
        fetched.body,
        fetched.final_url,
        fetched.headers.get("content-type"),
        fetched.status,
        ingester.now(),
        describe_fetch(fetched),
        is_snapshot=False,
        file_name=find_file_name(str(fetched.final_url), fetched.headers.get("content-disposition")),
        file=fetched.file,
    )


def _explain_large_file(failed: FetchFailed) -> _NoPage:
    failure = explain_failure(failed, AttemptRecord(via=Via.HTTP))
    return _NoPage(replace(failure, code=FailureCode.DOCUMENT_TOO_LARGE, message=FILE_TOO_LARGE))


async def _explain(ingester: Ingester, media: Media, url: NormalisedUrl, failed: FetchFailed) -> _NoPage:
    failure = explain_failure(failed, AttemptRecord(via=Via.HTTP))
    status, content_type = failed.http_status, failed.headers.get("content-type")
    page = Page(failed.body, str(url), media.id, content_type, status)
    if not failed.partial_page:
        return _NoPage(await explain_error_page(ingester, page, failure))
    extracted = await ingester.extractors.extract(page)  # in a child process, for its metadata alone
    return _NoPage(failure, extracted.metadata)


def _from_snapshot(media: Media, snapshot: Snapshot) -> _FoundPage:
    return _FoundPage(
        decompress(snapshot.body),
        get_url(snapshot.final_url),
        snapshot.headers.get("content-type"),
        200,
        snapshot.fetched_at,
        AttemptRecord(via=Via.FILE if media.is_private else Via.SNAPSHOT),
        is_snapshot=True,
        is_copy=media.is_private and COPY_HEADER in snapshot.headers,
        file_name=find_file_name(snapshot.final_url, snapshot.headers.get("content-disposition")),
    )


async def _read(ingester: Ingester, job: ClaimedJob, media: Media, page: _FoundPage, deadline: float) -> EndedAttempt:
    started = time.perf_counter()
    saved_url = get_url(media.canonical_url or media.source_url)
    saved = SavedPage(_as_page(media, page), saved_url, job.actor_user_id, max(0.0, deadline - started))
    joined = await read_whole_article(ingester.pages, saved, may_use_alternate=not media.is_private)
    record = replace(page.record, extract_ms=round((time.perf_counter() - started) * 1000), attempt=job.attempt)
    if isinstance(joined, ExtractFailed):
        return await end_attempt(ingester, job, explain_failure(joined, record), joined.metadata)
    read = ReadArticle(
        joined.article,
        page.final_url if _names_it(media, page) else None,
        describe_article(record, joined),
        page.fetched_at,
        page.is_copy,
        pages=joined.pages,
    )
    follow_ups = FollowUps.after_fetch(ingester.settings, can_render=ingester.can_render)
    return await finish_article(ingester, job, read, follow_ups)


def _as_page(media: Media, page: _FoundPage) -> Page:
    return Page(
        page.body,
        str(page.final_url),
        media.id,
        page.content_type,
        page.status,
        media.canonical_url or str(page.final_url),
        is_article=media.is_private and page.is_snapshot,
        is_copy=page.is_copy,
    )
