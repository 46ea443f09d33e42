"""Fetch a page once and fill its card: the part of a save that may take a while. No transaction is open meanwhile."""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.compression import compress
from kept.config import Settings
from kept.content.page.card import PageCard, read_card
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import Fetched, FetchFailed, FetchReason
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind
from kept.observability import ENRICHMENT_SECONDS, ENRICHMENTS
from kept.services.ingesting.merge_media import merge_media
from kept.services.saving.decide_card import CardDecision, CardOutcome, decide_card
from kept.storage import copies, events, lifecycles, media
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.images import page_pictures
from kept.storage.search import index as search_index
from kept.urls.url import NormalisedUrl

log = structlog.get_logger("kept.enrichment")

FAILURE_STAGE: Final = "fetch"
CARD_FIELDS: Final = (
    "title",
    "excerpt",
    "preview_image_url",
    "byline",
    "site_name",
    "lang",
    "published_at",
    "favicon_url",
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CardFiller:
    """What filling a card needs; made once by the wiring."""

    database: Database
    gate: Gate
    settings: Settings

    async def fill(self, media_id: UUID, url: NormalisedUrl, *, actor_user_id: UUID, refresh: bool = False) -> None:
        """`refresh` replaces title and excerpt where the page has new ones; otherwise only gaps are filled."""
        started = time.perf_counter()
        log.info("enrichment.started", media_id=str(media_id), host=url.host)
        fetched, card = await self.fetch_card(url, str(actor_user_id))
        decision = await self.record(media_id, url, fetched, card, actor_user_id=actor_user_id, refresh=refresh)
        self.observe(media_id, url, decision, time.perf_counter() - started)

    async def fetch_card(self, url: NormalisedUrl, user_key: str) -> tuple[Fetched | FetchFailed, PageCard | None]:
        try:
            async with asyncio.timeout(self.settings.save_budget_seconds):
                fetched = await self.gate.fetch(url, save_limits(self.settings), user_key=user_key)
        except TimeoutError:
            return FetchFailed(FetchReason.READ_TIMED_OUT), None
        if isinstance(fetched, FetchFailed):
            return fetched, None
        return fetched, read_card(
            fetched.body,
            content_type=fetched.headers.get("content-type"),
            url=str(fetched.final_url),
            parsed_bytes=self.settings.save_parse_bytes,
        )

    async def record(
        self,
        media_id: UUID,
        url: NormalisedUrl,
        fetched: Fetched | FetchFailed,
        card: PageCard | None,
        *,
        actor_user_id: UUID,
        refresh: bool,
    ) -> CardDecision | None:
        """Transaction two. Somebody may take the page's canonical URL at the same moment: then we look again.

        The card of a new page need not wait for the disk: the job that stands since transaction one would fill it too.
        """
        return await self.database.write_despite_races(
            lambda tx: self.record_in(tx, media_id, url, fetched, card, actor_user_id=actor_user_id, refresh=refresh),
            None if refresh else "normal",
        )

    async def record_in(
        self,
        tx: AsyncConnection,
        media_id: UUID,
        url: NormalisedUrl,
        fetched: Fetched | FetchFailed,
        card: PageCard | None,
        *,
        actor_user_id: UUID,
        refresh: bool,
    ) -> CardDecision | None:
        now = utc_now()
        found = await media.find_media(tx, media_id, lock=True)
        if found is None:  # merged away or removed while we fetched; what we know is no longer wanted
            return None
        decision = decide_card(url, fetched, card, has_picture=found.has_picture)
        if decision.is_blocked:
            await block(tx, found, decision, now)
            return decision
        canonical_url = str(decision.canonical_url) if decision.canonical_url and not found.canonical_url else None
        # A new copy takes the URL over once it is ready; what came with a file never gets one.
        if refresh and (found.is_private or await copies.is_being_made(tx, media_id)):
            canonical_url = None
        winner_id = await media.find_by_canonical_url(tx, canonical_url) if canonical_url else None
        if winner_id is not None:
            await merge_media(tx, media_id, winner_id, actor_user_id=actor_user_id, now=now)
            await events.tell_libraries(tx, winner_id, "card", now)
            return decision
        snapshot = make_snapshot(fetched, now)
        host = url.host if snapshot is None else None
        is_queued = await queue.bring_forward(tx, JobKind.INGEST, media_id, now=now, host=host)
        if snapshot is not None and is_queued:
            await media.put_snapshot(tx, media_id, snapshot)
        await write_card(tx, found, decision, canonical_url, now, refresh=refresh)
        await events.tell_libraries(tx, media_id, "card", now)
        return decision

    def observe(self, media_id: UUID, url: NormalisedUrl, decision: CardDecision | None, seconds: float) -> None:
        outcome = decision.outcome if decision else CardOutcome.FAILED
        ENRICHMENTS.labels(outcome).inc()
        ENRICHMENT_SECONDS.observe(seconds)
        log.info(
            f"enrichment.{outcome}",
            media_id=str(media_id),
            host=url.host,
            ms=round(seconds * 1000),
            error=decision.error if decision else "the media is gone",
        )


async def write_card(
    tx: AsyncConnection,
    found: Media,
    decision: CardDecision,
    canonical_url: str | None,
    now: datetime,
    *,
    refresh: bool,
) -> None:
    page = decision.page
    finished = decision.status is EnrichmentStatus.SUCCEEDED
    says_something = page.title or page.opengraph or page.twitter
    await lifecycles.apply_move(
        tx,
        found.standing,
        decision.status,
        at=now,
        history=decision.history,
        metadata=page.as_json() if says_something else found.metadata,
        enriched_at=now if finished else found.enriched_at,
        enrichment_error=decision.error,
        canonical_url=canonical_url or found.canonical_url,
        **{name: filled(getattr(found, name), getattr(page, name), refresh=refresh) for name in CARD_FIELDS},
    )
    if canonical_url is not None and canonical_url != found.source_url:
        await media.insert_alias_if_free(tx, canonical_url, found.id)
    pictures = page_pictures(found.id, page.preview_image_url, page.favicon_url)
    await media.insert_image_assets(tx, found.id, pictures, now)
    if refresh:
        await search_index.index_page(tx, found.id)
    elif page.title or page.excerpt or page.site_name:
        await search_index.index_card(
            tx,
            found.id,
            title=found.title or page.title,
            excerpt=found.excerpt or page.excerpt,
            byline=found.byline or page.byline,
            site_name=found.site_name or page.site_name,
            canonical_url=found.canonical_url or canonical_url,
        )


def filled(known: T, new: T, *, refresh: bool) -> T:
    """What is there stays, unless it is refreshed on purpose; nothing never replaces something."""
    if new is None or (known is not None and not refresh):
        return known
    return new


async def block(tx: AsyncConnection, found: Media, decision: CardDecision, now: datetime) -> None:
    """An address that may never be fetched: no job, no browser, a message that tells nothing of our network."""
    if found.processing_status is not ProcessingStatus.PENDING:  # a page we have already; it is merely not refreshed
        await media.update_media(tx, found.id, now, enrichment_error=decision.error)
        return
    standing = await lifecycles.apply_move(
        tx, found.standing, EnrichmentStatus.FAILED, at=now, enrichment_error=decision.error
    )
    await lifecycles.apply_move(
        tx,
        standing,
        ProcessingStatus.BLOCKED,
        at=now,
        history=decision.history,
        failure_code=decision.history["code"],
        failure_message=decision.error,
        failure_stage=FAILURE_STAGE,
        failed_at=now,
    )
    await queue.cancel(tx, JobKind.INGEST, found.id)
    await events.tell_libraries(tx, found.id, "card", now)


def make_snapshot(fetched: Fetched | FetchFailed, now: datetime) -> media.Snapshot | None:
    """What the worker may work on instead of fetching again; half a page is not."""
    if not isinstance(fetched, Fetched) or fetched.truncated:
        return None
    headers = {name: fetched.headers[name] for name in ("content-type",) if name in fetched.headers}
    return media.Snapshot(str(fetched.final_url), headers, compress(fetched.body), now)
