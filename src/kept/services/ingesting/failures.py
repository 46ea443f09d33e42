"""Why a page has no article: the failure of an attempt in words and codes, and its record in the history."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from kept.content.article.article import ExtractFailed, Page
from kept.content.page.description import FRONT_PAGE
from kept.domain.attempt import AttemptRecord, Failure, Via
from kept.domain.failures import WALLS, FailureCode, FailureStage
from kept.domain.job import ClaimedJob
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.outcome import FORBIDDEN, WALL_STATUSES, FetchFailed, FetchReason
from kept.services.ingesting.worker import Ingester
from kept.services.pages.states import describe_fetch
from kept.storage import lifecycles
from kept.storage.database.engine import Connection
from kept.urls.identity import leads_home
from kept.urls.url import NormalisedUrl, get_url

LOST_ATTEMPT: Final = "Saving this page was interrupted."


def explain_failure(failed: FetchFailed | ExtractFailed, facts: AttemptRecord) -> Failure:
    """Say why there is no article, in the terms of the API.

    `facts`: how the page was obtained; a failed fetch adds its own.
    """
    if isinstance(failed, ExtractFailed):
        is_transient = failed.is_transient
        return Failure(failed.code, failed.message, failed.stage, is_transient, facts=facts, reason=failed.detail)
    via = Via(facts.via or Via.HTTP)
    described = describe_fetch(failed, via)
    refused = failed.reason if failed.reason in FORBIDDEN else None
    return Failure(
        failed.code,
        failed.message,
        FailureStage.RENDER if via is Via.BROWSER else FailureStage.FETCH,
        failed.is_transient,
        failed.retry_after_seconds,
        replace(described, message=None, validation_reason=refused, reason=failed.reason),
        reason=_name_reason(failed),
    )


def _name_reason(failed: FetchFailed) -> str:
    return f"{failed.label} {failed.http_status}" if failed.reason is FetchReason.HTTP_STATUS else failed.label


async def explain_error_page(ingester: Ingester, page: Page, plain: Failure) -> Failure:
    """Return the failure of an error page: a login or a robot check has its own code, anything else its status.

    `plain`: the failure by its status alone.
    """
    if page.status not in WALL_STATUSES or not page.body:
        return plain
    extracted = await ingester.extractors.extract(page)
    if isinstance(extracted, ExtractFailed) and extracted.code in WALLS:
        return replace(plain, code=extracted.code, message=extracted.message)
    return plain


def explain_front_page(media: Media, final_url: NormalisedUrl, record: AttemptRecord) -> Failure | None:
    """Return a failure if the site redirected to its front page, which is not the page that was asked for.

    Returns None for a page that came with a file, because nobody fetched it.
    """
    asked = get_url(media.canonical_url or media.source_url)
    if media.is_private or not leads_home(asked, final_url):
        return None
    return Failure(FailureCode.EXTRACT_SOFT_404, FRONT_PAGE.reason, FailureStage.FETCH, facts=record)


def describe_lost_attempt(job: ClaimedJob, now: datetime) -> AttemptRecord:
    """Return the record of an attempt whose worker died in the middle."""
    return AttemptRecord(code=FailureCode.WORKER_LOST, message=LOST_ATTEMPT, attempt=job.attempt - 1, next_retry_at=now)


def record_attempt(tx: Connection, media: Media, record: AttemptRecord, now: datetime) -> None:
    """Add an attempt to the history of what is still to be done: the article, or else the card's image."""
    if media.processing_status is ProcessingStatus.EXTRACTING:
        lifecycles.apply_move(tx, media.state, ProcessingStatus.EXTRACTING, at=now, record=record)
    elif media.enrichment_status is EnrichmentStatus.PENDING:
        lifecycles.apply_move(tx, media.state, EnrichmentStatus.PENDING, at=now, record=record)
