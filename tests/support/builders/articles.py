"""Articles without a worker: what ingestion writes in the end, written by a test; and what is known of a media."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from kept.clock import utc_now
from kept.content.article.article import count_words
from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.domain.attempt import AttemptRecord, Via
from kept.domain.failures import FailureCode
from kept.domain.job import JobKind
from kept.domain.lifecycle import LifecycleState, ProcessingStatus, Transition
from kept.domain.media import Media
from kept.ids import new_media_id
from kept.services.images.store import store_images
from kept.services.pages.copies import promote_copy
from kept.services.pages.states import queue_anchoring
from kept.storage import images, lifecycles, media, tables
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.storage.search import index as search_index
from support.builders.jobs import claim_job, new_job
from support.builders.pictures import picture
from support.fixtures.transactions import writing
from support.servers.serving import RunningKept

PAGE = "https://example.org/a"
SENTENCE = "The harbour was quiet that morning, and nobody who walked along it thought of the storm to come. "
BODY = "<article><h1>The harbour</h1>" + f"<p>{SENTENCE * 4}</p>" * 6 + "</article>"
"""What the extractor takes for an article."""


def ingest(
    database: Database, media_id: UUID | str, html: str, *, base_url: str = PAGE, at: datetime | None = None
) -> SanitisedArticle:
    """Bring a media to `ready_for_reading` with this article, in one transaction."""
    media_id, now = UUID(str(media_id)), at or utc_now()
    article = sanitise_article(html, base_url=base_url, canonical_url=base_url, media_id=media_id)
    assert isinstance(article, SanitisedArticle)
    store_sanitised(database, media_id, article, now)
    return article


def store_sanitised(database: Database, media_id: UUID, article: SanitisedArticle, now: datetime) -> None:
    with writing(database) as tx:
        insert_article(tx, media_id, article, now)
        state = begin_attempt(tx, media_id, now)
        lifecycles.apply_move(
            tx,
            state,
            ProcessingStatus.READY_FOR_READING,
            at=now,
            record=AttemptRecord(via=Via.HTTP, extract_ms=5),
            processing_completed_at=now,
            fetched_at=now,
            word_count=count_words(str(canonical_text(article.html))),
        )
        search_index.index_page(tx, media_id)
        promote_copy(tx, media_id, now=now)
        queue_anchoring(tx, media_id, now=now)
        queue.cancel(tx, JobKind.INGEST, media_id)


def insert_article(tx: Connection, media_id: UUID, article: SanitisedArticle, now: datetime) -> None:
    text = canonical_text(article.html)
    tx.execute(
        tables.fragments.insert().values(
            id=new_media_id(),
            media_id=media_id,
            ordinal=0,
            html_sanitized=str(article.html),
            canonical_text=str(text),
            canonical_version=text.version,
            created_at=now,
        )
    )
    images: Iterable[tuple[UUID, str]] = [(image.id, image.origin_url) for image in article.images]
    media.insert_image_assets(tx, media_id, images, now)


def begin_attempt(tx: Connection, media_id: UUID, now: datetime) -> LifecycleState:
    state = lifecycles.find_state(tx, media_id)
    assert state is not None
    record = AttemptRecord(attempt=1, http_status=200, redirects=0, fetch_ms=12)
    return lifecycles.apply_move(tx, state, ProcessingStatus.EXTRACTING, at=now, record=record)


def fail(
    database: Database, media_id: UUID | str, code: FailureCode, *, status: ProcessingStatus = ProcessingStatus.FAILED
) -> None:
    """End a media's attempt the other way."""
    media_id, now = UUID(str(media_id)), utc_now()
    with writing(database) as tx:
        state = begin_attempt(tx, media_id, now)
        failure = AttemptRecord(code=code, message="It did not work.")
        lifecycles.apply_move(
            tx,
            state,
            status,
            at=now,
            record=failure,
            failure_code=code,
            failure_message="It did not work.",
            failure_stage="extract",
            failed_at=now,
        )
        queue.cancel(tx, JobKind.INGEST, media_id)


def get_media(running: RunningKept, item: Any) -> Media:
    """The media of an item, as the API tells the item."""
    found = running.kept.database.run_read(media.find_media, UUID(item["media_id"]))
    assert found is not None
    return found


def list_history(running: RunningKept, item: Any) -> list[Transition]:
    return running.kept.database.run_read(lifecycles.list_transitions, UUID(item["media_id"]))


async def store_images_of(running: RunningKept, media_id: str) -> None:
    """Fetch and store a page's images, as a worker does."""
    job = claim_job(running.kept.database, new_job(UUID(media_id), kind=JobKind.STORE_IMAGES))
    await store_images(running.kept.images, job)


async def put_image(running: RunningKept, media_id: str) -> None:
    """Store an article's one image without fetching it."""
    with writing(running.kept.database) as tx:
        [asset] = images.list_assets(tx, UUID(media_id))
        key = images.image_key(asset, "0" * 64, "png")
        images.record_blob(tx, asset.id, key, "image/png")
    await running.kept.blobs.put(key, picture(), "image/png")
