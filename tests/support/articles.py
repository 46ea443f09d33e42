"""Articles without a worker: what ingestion writes in the end, written by a test."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from kept.clock import utc_now
from kept.content.article.canonical import canonical_text
from kept.content.article.extract import count_words
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.domain.failures import FailureCode
from kept.domain.job import JobKind
from kept.domain.lifecycle import LifecycleState, ProcessingStatus
from kept.ids import new_media_id
from kept.services.copies.promote_copy import take_over
from kept.storage import lifecycles, media, tables
from kept.storage.database.engine import Connection, Database
from kept.storage.jobs import queue
from kept.storage.search import index as search_index
from support.transactions import writing

PAGE = "https://example.org/a"


def ingest(
    database: Database, media_id: UUID | str, html: str, *, base_url: str = PAGE, at: datetime | None = None
) -> SanitisedArticle:
    """Bring a media to `ready_for_reading` with this article, in one transaction."""
    media_id, now = UUID(str(media_id)), at or utc_now()
    article = sanitise_article(html, base_url=base_url, canonical_url=base_url, media_id=media_id)
    assert isinstance(article, SanitisedArticle)
    with writing(database) as tx:
        insert_article(tx, media_id, article, now)
        standing = begin_attempt(tx, media_id, now)
        lifecycles.apply_move(
            tx,
            standing,
            ProcessingStatus.READY_FOR_READING,
            at=now,
            history={"via": "http", "extract_ms": 5},
            processing_completed_at=now,
            fetched_at=now,
            word_count=count_words(str(canonical_text(article.html))),
        )
        search_index.index_page(tx, media_id)
        take_over(tx, media_id, now=now)
        queue.cancel(tx, JobKind.INGEST, media_id)
    return article


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
    standing = lifecycles.find_state(tx, media_id)
    assert standing is not None
    history = {"attempt": 1, "http_status": 200, "redirects": 0, "fetch_ms": 12}
    return lifecycles.apply_move(tx, standing, ProcessingStatus.EXTRACTING, at=now, history=history)


def fail(
    database: Database, media_id: UUID | str, code: FailureCode, *, status: ProcessingStatus = ProcessingStatus.FAILED
) -> None:
    """End a media's attempt the other way."""
    media_id, now = UUID(str(media_id)), utc_now()
    with writing(database) as tx:
        standing = begin_attempt(tx, media_id, now)
        failure = {"code": code, "message": "It did not work."}
        lifecycles.apply_move(
            tx,
            standing,
            status,
            at=now,
            history=failure,
            failure_code=code,
            failure_message="It did not work.",
            failure_stage="extract",
            failed_at=now,
        )
        queue.cancel(tx, JobKind.INGEST, media_id)
