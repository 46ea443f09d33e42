"""The last step of an ingestion: article, pictures, state, card and job change in one transaction, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from kept.config import Settings
from kept.content.article.canonical import CANONICAL_VERSION
from kept.content.article.extract import Article
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.storage.jobs import queue
from kept.storage.jobs.queue import ClaimedJob, JobKind, NewJob, Priority
from kept.services.copies.promote_copy import take_over
from kept.services.ingesting.end_attempt import settle_card
from kept.services.ingesting.merge_media import claim_canonical_url, wants_fresh_attempt
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import AsyncConnection
from kept.storage.images import page_pictures
from kept.storage.search import index as search_index
from kept.urls.url import NormalisedUrl, get_url


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article as it comes from the page, and where the page was found."""

    article: Article
    canonical_url: NormalisedUrl | None
    """The address that names it, if this fetch may tell; None leaves it as it is."""
    history: Mapping[str, Any]
    fetched_at: datetime


async def keep_article(
    tx: AsyncConnection,
    settings: Settings,
    job: ClaimedJob,
    read: ReadArticle,
    *,
    can_render: bool,
    now: datetime,
) -> UUID | None:
    """Returns the media that holds the article now, which is another one if this page was known already."""
    found = await media.find_media(tx, job.subject_id, lock=True)  # before the job: see jobs/queue.py
    await queue.finish(tx, job)
    if found is None or found.processing_status is not ProcessingStatus.EXTRACTING:
        return None
    if read.canonical_url is not None and found.canonical_url is None:
        stays = await claim_canonical_url(
            tx, found.id, str(read.canonical_url), actor_user_id=job.actor_user_id, now=now
        )
        if stays != found.id:
            await wake_winner(tx, job, stays, read.canonical_url, now)
            await events.tell_libraries(tx, stays, "merged", now)
            return stays
    await write_article(tx, found, read, now)
    await take_over(tx, found.id, now=now)
    await finish_card(tx, settings, job, found.id, can_render=can_render, now=now)
    await events.tell_libraries(tx, found.id, "article", now)
    return found.id


async def wake_winner(tx: AsyncConnection, job: ClaimedJob, winner_id: UUID, url: NormalisedUrl, now: datetime) -> None:
    """People were just attached to a page that failed before: it gets one more chance."""
    standing = await lifecycles.find_standing(tx, winner_id)
    if standing is not None and wants_fresh_attempt(standing.processing):
        await queue.enqueue(tx, follow_up(job, JobKind.INGEST, winner_id, url.host, now), now=now)


async def write_article(tx: AsyncConnection, found: Media, read: ReadArticle, now: datetime) -> None:
    article = read.article
    pictures = [(image.id, image.origin_url) for image in article.images]
    page = article.metadata
    pictures += page_pictures(found.id, page.preview_image_url, page.favicon_url)
    await media.insert_fragment(tx, found.id, article.html, article.text, CANONICAL_VERSION, now)
    await media.insert_image_assets(tx, found.id, pictures, now)
    await media.delete_snapshot(tx, found.id)
    await media.fill_card_gaps(tx, found.id, article.metadata, now, title=article.title, byline=article.byline)
    await lifecycles.apply_move(
        tx,
        found.standing,
        ProcessingStatus.READY_FOR_READING,
        at=now,
        history=read.history,
        word_count=article.word_count,
        fetched_at=read.fetched_at,
        processing_completed_at=now,
        failure_code=None,
        failure_message=None,
        failure_stage=None,
        failure_details=None,
    )
    await search_index.index_page(tx, found.id)


async def finish_card(
    tx: AsyncConnection, settings: Settings, job: ClaimedJob, media_id: UUID, *, can_render: bool, now: datetime
) -> None:
    found = await media.find_media(tx, media_id)
    assert found is not None
    url = get_url(found.canonical_url or found.source_url)
    if settings.store_images and await media.has_images(tx, media_id):
        await queue.enqueue(tx, follow_up(job, JobKind.STORE_IMAGES, media_id, None, now), now=now)
    # What came with a file is not on the site any more, perhaps; a picture of the site would not be one of it.
    if found.has_picture or found.is_private or not can_render:
        if found.enrichment_status is EnrichmentStatus.PENDING:
            await settle_card(tx, found, found.standing, error=None, now=now)
        return
    await queue.enqueue(tx, follow_up(job, JobKind.RENDER, media_id, url.host, now), now=now)


def follow_up(job: ClaimedJob, kind: JobKind, subject_id: UUID, host: str | None, now: datetime) -> NewJob:
    """Work that comes of this job, as urgent as it was, under the same request."""
    return NewJob(kind, subject_id, host, Priority(job.priority), now, job.actor_user_id, job.request_id)
