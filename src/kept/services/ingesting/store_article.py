"""The last step of an ingestion: article, images, state, card and job change in one transaction, or not at all."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

from kept.config import Settings
from kept.content.article.article import Article
from kept.content.article.canonical import CANONICAL_VERSION
from kept.domain.attempt import NO_FAILURE, AttemptRecord
from kept.domain.document import DocumentFacts
from kept.domain.enrichment import needs_settling, wants_screenshot
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.joined_pages import JoinedPages, note_pages
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, deserves_fresh_attempt
from kept.domain.media import Media, MediaKind
from kept.services.pages.copies import promote_copy
from kept.services.pages.files import StoredFileImage
from kept.services.pages.identity import claim_canonical_url
from kept.services.pages.states import queue_anchoring, queue_follow_up, settle_card, wants_capture
from kept.storage import documents, events, lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.images import page_images, record_blob
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.urls.url import NormalisedUrl

# A visit for the screenshot, if there is one, brings the whole page too: it goes first.
AFTER_THE_SCREENSHOT: Final = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article as it comes from the page, and where the page was found."""

    article: Article
    canonical_url: NormalisedUrl | None
    """The URL that names it, if this fetch may tell; None leaves it as it is."""
    record: AttemptRecord
    fetched_at: datetime
    is_imported_copy: bool = False
    """It came with the export of a Kept, which says what stands beside it: it takes no older copy's place."""
    images: tuple[StoredFileImage, ...] = ()
    """Those that came with the page, and are stored."""
    pages: JoinedPages | None = None
    """Of an article that its site shows on several."""
    document: "StoredDocument | None" = None
    """Where it is the text of a file."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    facts: DocumentFacts
    thumbnail_key: str | None


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What is to be done for a page once its article is there."""

    store_images: bool
    screenshot: bool
    capture: Settings | None = None
    """By which whole pages are kept, where a browser can visit the page for that."""

    @classmethod
    def after_fetch(cls, settings: Settings, *, can_render: bool) -> Self:
        return cls(settings.store_images, screenshot=can_render, capture=settings if can_render else None)


def store_article(
    tx: Connection, job: ClaimedJob, read: ReadArticle, follow_ups: FollowUps, *, now: datetime
) -> UUID | None:
    """Returns the media that holds the article now, which is another one if this page was known already."""
    found = media.find_media(tx, job.subject_id, lock=True)  # before the job: see storage/jobs/queue.py
    queue.finish(tx, job)
    if found is None or found.processing_status is not ProcessingStatus.EXTRACTING:
        return None
    claim = claim_canonical_url(tx, found, read.canonical_url, actor_user_id=job.actor_user_id, now=now)
    if claim.media_id != found.id:
        _give_winner_fresh_attempt(tx, job, claim.media_id, now)
        events.publish_event(tx, claim.media_id, "merged", now)
        return claim.media_id
    _write_article(tx, found, read, claim.canonical_url, now)
    if not read.is_imported_copy:
        promote_copy(tx, found.id, now=now)
    queue_anchoring(tx, found.id, now=now)
    _queue_follow_ups(tx, job, follow_ups, now)
    events.publish_event(tx, found.id, "article", now)
    return found.id


def _give_winner_fresh_attempt(tx: Connection, job: ClaimedJob, winner_id: UUID, now: datetime) -> None:
    """People were just attached to a page that failed before."""
    winner = media.find_media(tx, winner_id)
    if winner is not None and deserves_fresh_attempt(winner.processing_status):
        queue_follow_up(tx, job, JobKind.INGEST, winner, now)


def _write_article(tx: Connection, found: Media, read: ReadArticle, canonical_url: str | None, now: datetime) -> None:
    article, page = read.article, read.article.metadata
    images = [(image.id, image.origin_url) for image in article.images]
    images += page_images(found.id, page.preview_image_url, page.favicon_url)
    media.insert_fragment(tx, found.id, article.html, article.text, CANONICAL_VERSION, now)
    media.insert_image_assets(tx, found.id, images, now)
    for stored in read.images:
        record_blob(tx, stored.asset_id, stored.blob_key, stored.content_type)
    media.delete_snapshot(tx, found.id)
    media.fill_card_gaps(tx, found.id, page, now, title=article.title, byline=article.byline)
    known = _fields_from_rule(article) | _fields_of_pages(read)
    if known:
        media.update_media(tx, found.id, now, **known)
    lifecycles.apply_move(
        tx,
        found.state,
        ProcessingStatus.READY_FOR_READING,
        at=now,
        record=read.record,
        canonical_url=canonical_url,
        word_count=article.word_count,
        fetched_at=read.fetched_at,
        processing_completed_at=now,
        **NO_FAILURE,
        **_write_document(tx, found, read),
    )
    index.index_page(tx, found.id)


def _fields_from_rule(article: Article) -> dict[str, object]:
    """What the operator chose stands, whatever the save read from the page."""
    use = article.rule_use
    chosen = {"title": use.title, "byline": use.byline} if use is not None else {}
    return {name: value for name, value in chosen.items() if value is not None}


def _fields_of_pages(read: ReadArticle) -> dict[str, object]:
    return {"metadata": note_pages(read.article.metadata.as_json(), read.pages)} if read.pages is not None else {}


def _write_document(tx: Connection, found: Media, read: ReadArticle) -> dict[str, object]:
    """What the media says of it. Its own title takes the place of the file's name."""
    if read.document is None:  # whatever its site calls it
        return {"kind": MediaKind.WEB_ARTICLE}
    documents.put_document(tx, found.id, read.document.facts)
    return {
        "kind": read.document.facts.type.kind,
        "title": read.article.title or found.title,
        "thumbnail_key": read.document.thumbnail_key or found.thumbnail_key,
    }


def _queue_follow_ups(tx: Connection, job: ClaimedJob, follow_ups: FollowUps, now: datetime) -> None:
    found = media.find_media(tx, job.subject_id)
    assert found is not None
    if follow_ups.store_images and media.has_images(tx, found.id):
        queue_follow_up(tx, job, JobKind.STORE_IMAGES, found, now)
    if follow_ups.capture is not None and wants_capture(tx, found, follow_ups.capture):
        queue_follow_up(tx, job, JobKind.CAPTURE, found, now + AFTER_THE_SCREENSHOT)
    if wants_screenshot(found, can_render=follow_ups.screenshot):
        queue_follow_up(tx, job, JobKind.RENDER, found, now)
        if found.enrichment_status is EnrichmentStatus.FAILED:  # by an attempt before this one
            lifecycles.apply_move(tx, found.state, EnrichmentStatus.PENDING, at=now, enrichment_error=None)
    elif needs_settling(found):
        settle_card(tx, found, found.state, error=None, now=now)
