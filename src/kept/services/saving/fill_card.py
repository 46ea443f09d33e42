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
from kept.domain.failures import FailureStage
from kept.domain.item import Card
from kept.domain.job import JobKind
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import Fetched, FetchFailed, FetchReason
from kept.observability import ENRICHMENT_SECONDS, ENRICHMENTS
from kept.services.ingesting.claim_canonical_url import claim_canonical_url
from kept.services.saving.decide_card import CardDecision, CardOutcome, decide_card
from kept.storage import events, items, lifecycles, media
from kept.storage.database.engine import Connection, Database
from kept.storage.images import page_images
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.storage.search.fields import CardText
from kept.urls.url import NormalisedUrl

log = structlog.get_logger("kept.enrichment")

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


@dataclass(frozen=True, slots=True)
class CardToFill:
    media_id: UUID
    url: NormalisedUrl
    user_id: UUID
    library_id: UUID
    """The library of the item whose card is wanted."""
    refresh: bool = False
    """Replace title and excerpt where the page has new ones; otherwise only gaps are filled."""


@dataclass(frozen=True, slots=True)
class _Page:
    """What a fetch came to."""

    fetched: Fetched | FetchFailed
    card: PageCard | None


async def fill_card(filler: CardFiller, wanted: CardToFill) -> Card | None:
    """The item's card as it then is; None if the item is gone."""
    started = time.perf_counter()
    log.info("enrichment.started", media_id=str(wanted.media_id), host=wanted.url.host)
    page = await _fetch(filler, wanted)
    decision, card = await filler.database.write(_record, wanted, page, now=utc_now())
    _observe(wanted, decision, time.perf_counter() - started)
    return card


async def _fetch(filler: CardFiller, wanted: CardToFill) -> _Page:
    settings = filler.settings
    try:
        async with asyncio.timeout(settings.save_budget_seconds):
            fetched = await filler.gate.fetch(wanted.url, save_limits(settings), user_key=str(wanted.user_id))
    except TimeoutError:
        return _Page(FetchFailed(FetchReason.READ_TIMED_OUT), None)
    if isinstance(fetched, FetchFailed):
        return _Page(fetched, None)
    content_type, url = fetched.headers.get("content-type"), str(fetched.final_url)
    card = read_card(fetched.body, content_type=content_type, url=url, parsed_bytes=settings.save_parse_bytes)
    return _Page(fetched, card)


def _observe(wanted: CardToFill, decision: CardDecision | None, seconds: float) -> None:
    outcome = decision.outcome if decision else CardOutcome.FAILED
    ENRICHMENTS.labels(outcome).inc()
    ENRICHMENT_SECONDS.observe(seconds)
    log.info(
        f"enrichment.{outcome}",
        media_id=str(wanted.media_id),
        host=wanted.url.host,
        ms=round(seconds * 1000),
        error=decision.error if decision else "the media is gone",
    )


# --- the second transaction ---------------------------------------------------------------------------------------


def _record(
    tx: Connection, wanted: CardToFill, page: _Page, *, now: datetime
) -> tuple[CardDecision | None, Card | None]:
    found = media.find_media(tx, wanted.media_id, lock=True)
    if found is None:  # merged away or removed while we fetched; what we know is no longer wanted
        return None, None
    decision = decide_card(wanted.url, page.fetched, page.card, has_image=found.has_image)
    media_id = _apply(tx, wanted, found, decision, page, now)
    return decision, items.find_card_of_media(tx, wanted.library_id, media_id, wanted.user_id)


def _apply(
    tx: Connection, wanted: CardToFill, found: Media, decision: CardDecision, page: _Page, now: datetime
) -> UUID:
    """The media that has the card now: another one, if the page was known under its final URL."""
    if decision.is_blocked:
        _block(tx, found, decision, now)
        return found.id
    if decision.canonical_url is not None:
        stays = claim_canonical_url(tx, found, decision.canonical_url, actor_user_id=wanted.user_id, now=now)
        if stays != found.id:
            events.publish_event(tx, stays, "card", now)
            return stays
    snapshot = _make_snapshot(page.fetched, now)
    host = wanted.url.host if snapshot is None else None
    is_queued = queue.bring_forward(tx, JobKind.INGEST, found.id, now=now, host=host)
    if snapshot is not None and is_queued:
        media.put_snapshot(tx, found.id, snapshot)
    _write_card(tx, found, decision, now, refresh=wanted.refresh)
    events.publish_event(tx, found.id, "card", now)
    return found.id


def _write_card(tx: Connection, found: Media, decision: CardDecision, now: datetime, *, refresh: bool) -> None:
    page = decision.page
    says_something = page.title or page.opengraph or page.twitter
    filled = {name: _fill(getattr(found, name), getattr(page, name), refresh=refresh) for name in CARD_FIELDS}
    lifecycles.apply_move(
        tx,
        found.state,
        decision.status,
        at=now,
        record=decision.record,
        metadata=page.as_json() if says_something else found.metadata,
        enriched_at=now if decision.status is EnrichmentStatus.SUCCEEDED else found.enriched_at,
        enrichment_error=decision.error,
        **filled,
    )
    media.insert_image_assets(tx, found.id, page_images(found.id, page.preview_image_url, page.favicon_url), now)
    if refresh:
        index.index_page(tx, found.id)
    elif page.title or page.excerpt or page.site_name:
        canonical_url = found.canonical_url or (str(decision.canonical_url) if decision.canonical_url else None)
        said = (filled["title"], filled["excerpt"], filled["byline"], filled["site_name"], canonical_url)
        index.index_card(tx, found.id, CardText(*said))


def _fill(known: T, new: T, *, refresh: bool) -> T:
    """What is there stays, unless it is refreshed on purpose; nothing never replaces something."""
    if new is None or (known is not None and not refresh):
        return known
    return new


def _block(tx: Connection, found: Media, decision: CardDecision, now: datetime) -> None:
    """A URL that may never be fetched: no job, no browser, a message that tells nothing of our network."""
    if found.processing_status is not ProcessingStatus.PENDING:  # a page we have already; it is merely not refreshed
        media.update_media(tx, found.id, now, enrichment_error=decision.error)
        return
    state = lifecycles.apply_move(tx, found.state, EnrichmentStatus.FAILED, at=now, enrichment_error=decision.error)
    lifecycles.apply_move(
        tx,
        state,
        ProcessingStatus.BLOCKED,
        at=now,
        record=decision.record,
        failure_code=decision.record.code,
        failure_message=decision.error,
        failure_stage=FailureStage.FETCH,
        failed_at=now,
    )
    queue.cancel(tx, JobKind.INGEST, found.id)
    events.publish_event(tx, found.id, "card", now)


def _make_snapshot(fetched: Fetched | FetchFailed, now: datetime) -> media.Snapshot | None:
    """What the worker may work on instead of fetching again; half a page is not."""
    if not isinstance(fetched, Fetched) or fetched.truncated:
        return None
    headers = {name: fetched.headers[name] for name in ("content-type",) if name in fetched.headers}
    return media.Snapshot(str(fetched.final_url), headers, compress(fetched.body), now)
