"""Fetch a page once and fill its card: the part of a save that may take a while. No transaction is open meanwhile."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from kept.clock import utc_now
from kept.compression import compress
from kept.config import Settings
from kept.content.page.description import PageCard
from kept.domain.failures import FailureStage
from kept.domain.item import Card, Item, ReadingState
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.joined_pages import carry_pages
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, deserves_fresh_attempt
from kept.domain.media import Media
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import Fetched, FetchFailed, FetchReason
from kept.logs import structlog
from kept.observability import ENRICHMENT_SECONDS, ENRICHMENTS
from kept.services.pages.identity import Claim, claim_canonical_url
from kept.services.saving.decide_card import CardDecision, CardOutcome, decide_card
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import Connection, Database
from kept.storage.images import page_images
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.storage.search.fields import CardText
from kept.subprocesses.card_pool import CardPool
from kept.urls.url import NormalisedUrl, get_url

log = structlog.get_logger("kept.enrichment")

# What a file is, where its bytes cannot tell.
SNAPSHOT_HEADERS: Final = ("content-type", "content-disposition")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CardFiller:
    """What filling a card needs; made once by the wiring."""

    database: Database
    gate: Gate
    cards: CardPool
    settings: Settings
    now: Callable[[], datetime] = utc_now


class NewItem(NamedTuple):
    item: Item
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardToFill:
    media_id: UUID
    url: NormalisedUrl
    user_id: UUID
    new_item: NewItem | None = None
    """The item that was just saved, for which the card is wanted."""
    refresh: bool = False
    """Replace title and excerpt where the page has new ones; otherwise only gaps are filled."""


@dataclass(frozen=True, slots=True)
class _Page:
    """What a fetch came to."""

    fetched: Fetched | FetchFailed
    card: PageCard | None


async def fill_card(filler: CardFiller, wanted: CardToFill) -> Card | None:
    """The new item's card; None without one, or if the page turned out to be known under another URL."""
    started = time.perf_counter()
    log.info("enrichment.started", media_id=str(wanted.media_id), host=wanted.url.host)
    page = await _fetch(filler, wanted)
    # The card of a new page need not wait for the disk: the job that stands since the first transaction fills it too.
    write = filler.database.write if wanted.refresh else filler.database.write_relaxed
    decision, filled = await write(_record, wanted, page, now=filler.now())
    _observe(wanted, decision, time.perf_counter() - started)
    if filled is None or wanted.new_item is None:
        return None
    return Card(wanted.new_item.item, filled, wanted.new_item.tags, ReadingState())


async def _fetch(filler: CardFiller, wanted: CardToFill) -> _Page:
    """What of it is there when the save's time is up: page and card, the page alone, or neither."""
    settings = filler.settings
    fetched: Fetched | FetchFailed = FetchFailed(FetchReason.READ_TIMED_OUT)
    filler.cards.warm_up()
    with suppress(TimeoutError):
        async with asyncio.timeout(settings.save_budget_seconds):
            fetched = await filler.gate.fetch(wanted.url, save_limits(settings), user_key=str(wanted.user_id))
            return _Page(fetched, await _read(filler, fetched))
    return _Page(fetched, None)


async def _read(filler: CardFiller, fetched: Fetched | FetchFailed) -> PageCard | None:
    """Of a page that stalled, what came before may name it."""
    body = fetched.body if isinstance(fetched, Fetched) else fetched.partial_page
    if isinstance(fetched, FetchFailed) and not body:
        return None
    content_type, url = fetched.headers.get("content-type"), str(fetched.final_url)
    return await filler.cards.read(body, content_type=content_type, url=url)


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
) -> tuple[CardDecision | None, Media | None]:
    """What was decided, and the media as it then is; None if it is no more."""
    found = media.find_media(tx, wanted.media_id, lock=True)
    if found is None:  # merged away or removed while we fetched; what we know is no longer wanted
        return None, None
    keeps_image = found.thumbnail_key is not None or (found.has_image and not wanted.refresh)
    decision = decide_card(wanted.url, page.fetched, page.card, has_image=found.has_image, keeps_image=keeps_image)
    return decision, _apply(tx, wanted, found, decision, page, now)


def _apply(
    tx: Connection, wanted: CardToFill, found: Media, decision: CardDecision, page: _Page, now: datetime
) -> Media | None:
    if decision.is_blocked:
        _block(tx, found, decision, now)
        return media.find_media(tx, found.id)
    claim = claim_canonical_url(tx, found, decision.canonical_url, actor_user_id=wanted.user_id, now=now)
    if claim.media_id != found.id:
        _give_winner_fresh_attempt(tx, wanted, claim, now)
        events.publish_event(tx, claim.media_id, "card", now)
        return None
    snapshot = _make_snapshot(page.fetched, now)
    host = wanted.url.host if snapshot is None else None
    is_queued = queue.bring_forward(tx, JobKind.INGEST, found.id, now=now, host=host)
    if snapshot is not None and is_queued:
        media.put_snapshot(tx, found.id, snapshot)
    filled = _write_card(tx, found, decision, claim.canonical_url, now, refresh=wanted.refresh)
    events.publish_event(tx, found.id, "card", now)
    return filled


def _give_winner_fresh_attempt(tx: Connection, wanted: CardToFill, claim: Claim, now: datetime) -> None:
    """The page was known under another URL, and had failed."""
    state = lifecycles.find_state(tx, claim.media_id)
    if state is not None and deserves_fresh_attempt(state.processing):
        host = get_url(claim.canonical_url).host if claim.canonical_url else None
        job = NewJob(JobKind.INGEST, claim.media_id, host, Priority.PERSON, now, wanted.user_id, None)
        queue.enqueue(tx, job, now=now)


def _write_card(
    tx: Connection,
    found: Media,
    decision: CardDecision,
    canonical_url: str | None,
    now: datetime,
    *,
    refresh: bool,
) -> Media:
    page, refresh = decision.page, refresh and decision.document is None  # a document was read for its own title
    says_something = page.title or page.opengraph or page.twitter
    columns: dict[str, Any] = {
        **{name: _fill(getattr(found, name), getattr(page, name), refresh=refresh) for name in media.CARD_FIELDS},
        **_fill_preview(found, decision, refresh=refresh),
        "canonical_url": canonical_url,
        "metadata": carry_pages(page.as_json(), found.metadata) if says_something else found.metadata,
        "enriched_at": now if decision.status is EnrichmentStatus.SUCCEEDED else found.enriched_at,
        "enrichment_error": decision.error,
        **_name_kind(found, decision),
    }
    moved = lifecycles.apply_move(tx, found.state, decision.status, at=now, record=decision.record, **columns)
    filled = replace(found, **columns, enrichment_status=moved.enrichment, version=moved.version, updated_at=now)
    media.insert_image_assets(tx, found.id, page_images(found.id, page.preview_image_url, page.favicon_url), now)
    _index(tx, filled, refresh=refresh)
    return filled


def _name_kind(found: Media, decision: CardDecision) -> dict[str, str]:
    is_settled = found.is_document or found.is_readable or not found.accepts_documents
    return {} if decision.document is None or is_settled else {"kind": decision.document.kind}


def _index(tx: Connection, filled: Media, *, refresh: bool) -> None:
    if refresh:  # there may be an article
        index.index_page(tx, filled.id)
    elif filled.title or filled.excerpt or filled.site_name:
        said = (filled.title, filled.excerpt, filled.byline, filled.site_name, filled.canonical_url)
        index.index_card(tx, filled.id, CardText(*said))


def _fill(known: T, new: T, *, refresh: bool) -> T:
    """What is there stays, unless it is refreshed on purpose; nothing never replaces something."""
    if new is None or (known is not None and not refresh):
        return known
    return new


def _fill_preview(found: Media, decision: CardDecision, *, refresh: bool) -> dict[str, str | None]:
    """Refreshing, an image that the page no longer names is dropped, and one that could not be had is tried again."""
    known, new = found.preview_image_url, decision.page.preview_image_url
    if refresh and (new is not None or decision.is_the_page):
        return {"preview_image_url": new, "preview_error": None}
    return {"preview_image_url": known or new, "preview_error": found.preview_error}


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
    """What the worker may work on instead of fetching again; half a page is not, nor the frame of one that a script
    draws."""
    if not isinstance(fetched, Fetched) or fetched.truncated or fetched.final_url.route is not None:
        return None
    headers = {name: fetched.headers[name] for name in SNAPSHOT_HEADERS if name in fetched.headers}
    return media.Snapshot(str(fetched.final_url), headers, compress(fetched.body), now)
