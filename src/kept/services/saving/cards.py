"""The card of a page that is being saved: fetched, decided from what came, and written."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.compression import compress
from kept.config import Settings
from kept.content.documents.recognise import HEAD_BYTES, find_file_name, make_title, recognise, recognise_type
from kept.content.page.description import FRONT_PAGE, PageCard, PageMetadata
from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.document import DocumentType
from kept.domain.errors import first_line, is_outage
from kept.domain.failures import FailureStage
from kept.domain.item import Card, Item, ReadingState
from kept.domain.job import JobKind, ingest_job
from kept.domain.joined_pages import carry_pages
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, deserves_fresh_attempt
from kept.domain.media import Media, decide_after_fetch
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import FORBIDDEN, Fetched, FetchFailed, FetchReason
from kept.metrics import ENRICHMENT_SECONDS, ENRICHMENTS
from kept.services.pages.identity import Claim, claim_canonical_url
from kept.services.pages.states import describe_fetch
from kept.storage import events, lifecycles
from kept.storage.database.engine import Connection, Database
from kept.storage.images import page_images
from kept.storage.media import CARD_FIELDS, Snapshot, find_media, insert_image_assets, put_snapshot, update_media
from kept.storage.queue import queue
from kept.storage.search import index
from kept.storage.search.fields import CardText
from kept.subprocesses.cards import CardPool
from kept.urls.identity import keeps_identity, leads_home
from kept.urls.url import NormalisedUrl, get_url

log = structlog.get_logger("kept.enrichment")
# What a file is, where its bytes cannot tell.
SNAPSHOT_HEADERS: Final = ("content-type", "content-disposition")
T = TypeVar("T")
UNREAD: Final = "The page could not be read in time."


@dataclass(frozen=True, slots=True)
class CardFiller:
    """The dependencies of filling a card, made once by the wiring."""

    database: Database
    gate: Gate
    cards: CardPool
    settings: Settings
    now: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class CardToFill:
    media_id: UUID
    url: NormalisedUrl
    user_id: UUID
    item: Item | None = None
    """The item that was just saved, for which the card is wanted."""
    tags: tuple[str, ...] = ()
    """The tags of the item."""
    refresh: bool = False
    """Whether title and excerpt are replaced where the page has new ones; otherwise only gaps are filled."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The outcome of a fetch, and the card read from it."""

    fetched: Fetched | FetchFailed
    card: PageCard | None


class CardOutcome(StrEnum):
    """How filling a card during a save ended; each value is a log line and a metric."""

    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class CardDecision:
    outcome: CardOutcome
    status: EnrichmentStatus
    page: PageMetadata = field(default_factory=PageMetadata)
    canonical_url: NormalisedUrl | None = None
    """The URL that names the page, if the fetch determined it."""
    is_the_page: bool = False
    """Whether the page was fetched whole, and is neither a login nor another obstacle."""
    is_blocked: bool = False
    error: str | None = None
    record: AttemptRecord = NOTHING_TO_TELL
    document: DocumentType | None = None
    """The type of the document, if it is no page."""


class InFlight(Generic[T]):
    """Work that is in flight in this process: one task per media, for which several callers may wait.

    It continues when the person who started it leaves, and so does the save.
    """

    def __init__(self) -> None:
        self._tasks: dict[UUID, asyncio.Task[T]] = {}

    def start(self, media_id: UUID, work: Coroutine[Any, Any, T]) -> None:
        task = asyncio.create_task(work, name=f"card {media_id}")
        self._tasks[media_id] = task
        task.add_done_callback(lambda done: self._end(media_id, done))

    def _end(self, media_id: UUID, task: asyncio.Task[T]) -> None:
        if self._tasks.get(media_id) is task:
            del self._tasks[media_id]
        error = None if task.cancelled() else task.exception()
        # The item is saved and its job is due soon: the worker repairs what went wrong here.
        if error is not None and is_outage(error):
            log.warning("enrichment.met_outage", media_id=str(media_id), error=first_line(error))
        elif error is not None:
            log.error("enrichment.crashed", media_id=str(media_id), exc_info=error)

    async def wait(self, media_id: UUID, seconds: float) -> T | None:
        """Return the result; None where nothing is in flight, the work failed, or the time is up first."""
        task = self._tasks.get(media_id)
        if task is None:
            return None
        await asyncio.wait({task}, timeout=seconds)
        return task.result() if task.done() and not task.cancelled() and task.exception() is None else None

    async def drain(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=seconds)
        for task in self._tasks.values():
            task.cancel()


async def fill_card(filler: CardFiller, wanted: CardToFill) -> Card | None:
    """Fetch a page once and fill its card: the part of a save that may take a while. No transaction is open meanwhile.

    Returns the new item's card; None without an item, or if the page is known under another URL.
    """
    started = time.perf_counter()
    log.info("enrichment.started", media_id=str(wanted.media_id), host=wanted.url.host)
    page = await _fetch(filler, wanted)
    # The card of a new page need not wait for the disk: the job from the first transaction fills it too.
    write = filler.database.write if wanted.refresh else filler.database.write_relaxed
    decision, filled = await write(_record, wanted, page, now=filler.now())
    _observe(wanted, decision, time.perf_counter() - started)
    if filled is None or wanted.item is None:
        return None
    return Card(wanted.item, filled, wanted.tags, ReadingState())


async def _fetch(filler: CardFiller, wanted: CardToFill) -> _Page:
    """Fetch the page and read its card, as far as the save's time allows: both, the page alone, or neither."""
    settings = filler.settings
    fetched: Fetched | FetchFailed = FetchFailed(FetchReason.READ_TIMED_OUT)
    filler.cards.warm_up()
    with suppress(TimeoutError):
        async with asyncio.timeout(settings.limits.save_budget_seconds):
            fetched = await filler.gate.fetch(wanted.url, save_limits(settings), user_key=str(wanted.user_id))
            return _Page(fetched, await _read(filler, fetched))
    return _Page(fetched, None)


async def _read(filler: CardFiller, fetched: Fetched | FetchFailed) -> PageCard | None:
    """Read the card of a page, or of the part that arrived before the page stalled."""
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
    """Record the decision; return it and the media as it then is, or None for a media that no longer exists."""
    media = find_media(tx, wanted.media_id, lock=True)
    if media is None:  # merged away or removed while we fetched; what we know is no longer wanted
        return None, None
    keeps_image = media.thumbnail_key is not None or (media.has_image and not wanted.refresh)
    decision = decide_card(wanted.url, page.fetched, page.card, has_image=media.has_image, keeps_image=keeps_image)
    return decision, _apply(tx, wanted, media, decision, page, now)


def _apply(
    tx: Connection, wanted: CardToFill, media: Media, decision: CardDecision, page: _Page, now: datetime
) -> Media | None:
    if decision.is_blocked:
        _block(tx, media, decision, now)
        return find_media(tx, media.id)
    claim = claim_canonical_url(tx, media, decision.canonical_url, actor_user_id=wanted.user_id, now=now)
    if claim.media_id != media.id:
        _give_winner_fresh_attempt(tx, wanted, claim, now)
        events.publish_event(tx, claim.media_id, "card", now)
        return None
    snapshot = _make_snapshot(page.fetched, now)
    host = wanted.url.host if snapshot is None else None
    is_queued = queue.bring_forward(tx, JobKind.INGEST, media.id, now=now, host=host)
    if snapshot is not None and is_queued:
        put_snapshot(tx, media.id, snapshot)
    filled = _write_card(tx, media, decision, claim.canonical_url, now, refresh=wanted.refresh)
    events.publish_event(tx, media.id, "card", now)
    return filled


def _give_winner_fresh_attempt(tx: Connection, wanted: CardToFill, claim: Claim, now: datetime) -> None:
    """Queue a fresh attempt at a page that was known under another URL and had failed."""
    state = lifecycles.find_state(tx, claim.media_id)
    if state is not None and deserves_fresh_attempt(state.processing):
        host = get_url(claim.canonical_url).host if claim.canonical_url else None
        job = ingest_job(claim.media_id, host, now, wanted.user_id)
        queue.enqueue(tx, job, now=now)


def _write_card(
    tx: Connection,
    media: Media,
    decision: CardDecision,
    canonical_url: str | None,
    now: datetime,
    *,
    refresh: bool,
) -> Media:
    page, refresh = decision.page, refresh and decision.document is None  # a document was read for its own title
    says_something = page.title or page.opengraph or page.twitter
    columns: dict[str, Any] = {
        **{name: _fill(getattr(media, name), getattr(page, name), refresh=refresh) for name in CARD_FIELDS},
        **_fill_preview(media, decision, refresh=refresh),
        "canonical_url": canonical_url,
        "metadata": carry_pages(page.as_json(), media.metadata) if says_something else media.metadata,
        "enriched_at": now if decision.status is EnrichmentStatus.SUCCEEDED else media.enriched_at,
        "enrichment_error": decision.error,
        **_name_kind(media, decision),
    }
    moved = lifecycles.apply_move(tx, media.state, decision.status, at=now, record=decision.record, **columns)
    filled = replace(media, **columns, enrichment_status=moved.enrichment, version=moved.version, updated_at=now)
    insert_image_assets(tx, media.id, page_images(media.id, page.preview_image_url, page.favicon_url), now)
    _index(tx, filled, refresh=refresh)
    return filled


def _name_kind(media: Media, decision: CardDecision) -> dict[str, str]:
    is_settled = media.is_document or media.is_readable or not media.accepts_documents
    return {} if decision.document is None or is_settled else {"kind": decision.document.kind}


def _index(tx: Connection, filled: Media, *, refresh: bool) -> None:
    if refresh:  # there may be an article
        index.index_page(tx, filled.id)
    elif filled.title or filled.excerpt or filled.site_name:
        said = (filled.title, filled.excerpt, filled.byline, filled.site_name, filled.canonical_url)
        index.index_card(tx, filled.id, CardText(*said))


def _fill(known: T, new: T, *, refresh: bool) -> T:
    """Return the new value if the old one is missing or is to be refreshed; None never replaces a value."""
    if new is None or (known is not None and not refresh):
        return known
    return new


def _fill_preview(media: Media, decision: CardDecision, *, refresh: bool) -> dict[str, str | None]:
    """Return the preview fields; a refresh drops an image the page no longer names, and retries a failed one."""
    known, new = media.preview_image_url, decision.page.preview_image_url
    if refresh and (new is not None or decision.is_the_page):
        return {"preview_image_url": new, "preview_error": None}
    return {"preview_image_url": known or new, "preview_error": media.preview_error}


def _block(tx: Connection, media: Media, decision: CardDecision, now: datetime) -> None:
    """Block a URL that may never be fetched: no job, no browser, and a message that reveals nothing of our network."""
    if media.processing_status is not ProcessingStatus.PENDING:  # a page we have already; it is merely not refreshed
        update_media(tx, media.id, now, enrichment_error=decision.error)
        return
    state = lifecycles.apply_move(tx, media.state, EnrichmentStatus.FAILED, at=now, enrichment_error=decision.error)
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
    queue.cancel(tx, JobKind.INGEST, media.id)
    events.publish_event(tx, media.id, "card", now)


def _make_snapshot(fetched: Fetched | FetchFailed, now: datetime) -> Snapshot | None:
    """Return the page for the worker, to save a second fetch; None for part of a page or one that a script draws."""
    if not isinstance(fetched, Fetched) or fetched.truncated or fetched.final_url.route is not None:
        return None
    headers = {name: fetched.headers[name] for name in SNAPSHOT_HEADERS if name in fetched.headers}
    return Snapshot(str(fetched.final_url), headers, compress(fetched.body), now)


def decide_card(
    submitted: NormalisedUrl,
    fetched: Fetched | FetchFailed,
    card: PageCard | None,
    *,
    has_image: bool,
    keeps_image: bool | None = None,
) -> CardDecision:
    """Decide from values alone what a fetch means for a card; `fill_card` applies it.

    `has_image`: the media had an image before; `keeps_image`: it still has it if the page names none now.
    """
    record = describe_fetch(fetched)
    document = _recognise(fetched)
    if document is not None:
        return _decide_from_file(fetched, document, has_image=has_image)
    if card is not None and fetched.final_url is not None and leads_home(submitted, fetched.final_url):
        card = PageCard(PageMetadata(), FRONT_PAGE)
    match fetched:
        case Fetched() if card is not None:
            keeps_image = has_image if keeps_image is None or not card.is_the_page else keeps_image
            return _decide_from_page(submitted, fetched, card, has_image=keeps_image)
        case FetchFailed(reason=reason, message=message) if reason in FORBIDDEN:
            blocked = replace(record, code=fetched.code, validation_reason=reason)
            return CardDecision(
                CardOutcome.FAILED, EnrichmentStatus.FAILED, is_blocked=True, error=message, record=blocked
            )
        case Fetched():
            status = decide_after_fetch(has_image=has_image)
            return CardDecision(CardOutcome.FAILED, status, error=UNREAD, record=replace(record, message=UNREAD))
        case _:
            return _decide_from_part(fetched, card, has_image=has_image)


def _decide_from_page(submitted: NormalisedUrl, fetched: Fetched, card: PageCard, *, has_image: bool) -> CardDecision:
    is_named = card.is_the_page and keeps_identity(submitted, fetched.final_url)
    page = card.metadata if fetched.final_url.route is None else _keep_site(card.metadata)
    found_image = page.preview_image_url is not None
    return CardDecision(
        CardOutcome.SUCCEEDED if found_image else CardOutcome.PARTIAL,
        decide_after_fetch(has_image=found_image or has_image),
        page=page,
        canonical_url=fetched.final_url if is_named else None,
        is_the_page=card.is_the_page,
        error=None if card.is_the_page else card.verdict.reason,
        record=replace(describe_fetch(fetched), found=_list_found(page), page=card.verdict.kind),
    )


def _recognise(fetched: Fetched | FetchFailed) -> DocumentType | None:
    """Return the type of a document, or None; a file that its content type identifies was not downloaded."""
    if isinstance(fetched, FetchFailed):
        is_file = fetched.reason is FetchReason.UNSUPPORTED_CONTENT
        return recognise_type(fetched.content_type) if is_file else None
    return recognise(fetched.body[:HEAD_BYTES], fetched.headers.get("content-type"), _name_file(fetched))


def _name_file(fetched: Fetched | FetchFailed) -> str:
    return find_file_name(str(fetched.final_url), fetched.headers.get("content-disposition"))


def _decide_from_file(fetched: Fetched | FetchFailed, document: DocumentType, *, has_image: bool) -> CardDecision:
    """Fill the card with the file's name until a worker has read the file."""
    page = PageMetadata(title=make_title(_name_file(fetched)))
    return CardDecision(
        CardOutcome.PARTIAL,
        decide_after_fetch(has_image=has_image),
        page=page,
        record=replace(describe_fetch(fetched), message=None, found=_list_found(page)),
        document=document,
    )


def _keep_site(page: PageMetadata) -> PageMetadata:
    """Keep what all pages of a site share, for a page that a script draws: a fetch brings nothing else."""
    return PageMetadata(site_name=page.site_name or page.title, lang=page.lang, favicon_url=page.favicon_url)


def _decide_from_part(fetched: Fetched | FetchFailed, card: PageCard | None, *, has_image: bool) -> CardDecision:
    """Decide from a page that stalled or broke off: its tags fill the card, but do not decide its canonical URL."""
    record = describe_fetch(fetched)
    if card is None:
        status = decide_after_fetch(has_image=has_image)
        return CardDecision(_name_failure(fetched), status, error=record.message, record=record)
    found_image = card.metadata.preview_image_url is not None
    return CardDecision(
        _name_failure(fetched),
        decide_after_fetch(has_image=found_image or has_image),
        page=card.metadata,
        error=None if found_image else record.message,
        record=replace(record, found=_list_found(card.metadata), page=card.verdict.kind),
    )


def _name_failure(fetched: Fetched | FetchFailed) -> CardOutcome:
    timed_out = isinstance(fetched, FetchFailed) and fetched.reason.endswith("timed_out")
    return CardOutcome.TIMED_OUT if timed_out else CardOutcome.FAILED


def _list_found(page: PageMetadata) -> tuple[str, ...]:
    named = {"title": page.title, "excerpt": page.excerpt, "image": page.preview_image_url}
    return tuple(name for name, value in named.items() if value is not None)
