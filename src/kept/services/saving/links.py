"""Saving a link: the first transaction, the wait for its card, and filling the card again on request."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.attempt import AttemptRecord
from kept.domain.errors import Conflict, NotFound, UrlInvalid
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.item import NO_FIELDS, Card, Item, UserFields
from kept.domain.job import JobKind, NewJob, Priority, ingest_job
from kept.domain.lifecycle import (
    FINAL,
    EnrichmentStatus,
    LifecycleState,
    ProcessingStatus,
    begin,
)
from kept.domain.media import Media, wants_screenshot
from kept.domain.placing import Placement, WantedLink, place
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.libraries.libraries import choose_library
from kept.services.pages.attaching import (
    add_to_item,
    find_held_item,
    find_known_page,
    insert_item,
    new_item,
    unarchive_item,
)
from kept.services.pages.cards import SeenMedia, get_card, view_media
from kept.services.pages.states import settle_card
from kept.services.saving.cards import CardFiller, CardToFill, InFlight, fill_card
from kept.storage import events, items, libraries, lifecycles
from kept.storage.database.engine import Connection, Database
from kept.storage.media import accept_documents, find_merged, insert_alias, insert_media
from kept.storage.queue import queue
from kept.urls.given import GivenUrl, UrlNotice, explain_rejection, parse_given_url
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, parse_url

NOT_A_PAGE: Final = "This is not a web page, so there is nothing to fetch. It is kept as it was saved."


@dataclass(frozen=True, slots=True)
class LinkSaver:
    """The dependencies of saving a link, made once by the wiring."""

    database: Database
    filler: CardFiller
    in_flight: InFlight[Card | None]
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class LinkToSave:
    url: str
    fields: UserFields = NO_FIELDS
    library_id: UUID | None = None
    wait: bool = True
    request_id: str | None = None
    accepts_documents: bool = True
    """Whether a document is accepted; False where a web article is asked for."""


@dataclass(frozen=True, slots=True)
class Saved:
    card: Card
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool
    """Whether this save queued the page's ingestion; a known page may not need it."""
    notices: tuple[UrlNotice, ...] = ()
    """The changes that were made to the given URL."""
    was_archived: bool = False
    """Whether the viewer had archived it: it is unarchived, and first in the list again."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The outcome of a save's first transaction."""

    item: Item
    """The library's item, whose media may be another than the URL names: a library keeps the copy it has."""
    placement: Placement
    was_archived: bool = False
    """Whether the viewer had archived it; it is unarchived, and first in the list."""


@dataclass(frozen=True, slots=True)
class Submitted:
    seen: SeenMedia
    is_new_media: bool
    is_enqueued: bool
    notices: tuple[UrlNotice, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    viewer: Viewer
    item_id: UUID
    request_id: str | None
    now: datetime


async def save_link(saver: LinkSaver, viewer: Viewer, link: LinkToSave) -> Saved:
    """Save a link: the item exists after the first transaction, whatever follows; the card is filled before the answer.

    A save of a known page touches no network. The job row is committed with the item, due after the save's own time
    budget, so that a crash from there on loses nothing.
    """
    given = parse_given_url(link.url)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    budget_seconds = saver.settings.limits.save_budget_seconds
    deadline = time.monotonic() + budget_seconds
    # While the save itself fetches, no worker should; if it dies, one will.
    delay_seconds = budget_seconds + 1 if link.wait else 0.0
    placed = await saver.database.write(
        create_or_attach_item, viewer, link, given, now=saver.now(), delay_seconds=delay_seconds
    )
    item, placement = placed.item, placed.placement
    card = None
    if link.wait and isinstance(given.url, NormalisedUrl):
        wanted = CardToFill(item.media_id, given.url, viewer.user_id, item, link.fields.tags)
        card = await _wait_for_card(saver, wanted, deadline, is_new=placement.is_new_page)
    saver.notifier.notify(JobKind.INGEST, item.media_id)
    if card is None:
        card = await saver.database.read(_get_card, item, viewer)
    # The page may have turned out to be known, and its item to be there, under another URL.
    is_new_item = placement.is_new_item and card.item.id == item.id
    is_new_media = placement.is_new_page and card.media.id == item.media_id
    return Saved(card, is_new_item, is_new_media, placement.is_ingested, given.notices, placed.was_archived)


async def _wait_for_card(saver: LinkSaver, wanted: CardToFill, deadline: float, *, is_new: bool) -> Card | None:
    """Return the card, if it was filled for this save and in time."""
    if is_new:
        saver.in_flight.start(wanted.media_id, fill_card(saver.filler, wanted))
    card = await saver.in_flight.wait(wanted.media_id, deadline - time.monotonic())
    return card if is_new else None


def _get_card(tx: Connection, item: Item, viewer: Viewer) -> Card:
    """Return the item's card, or that of the media it was merged into."""
    card = items.find_card_of_media(tx, item.library_id, item.media_id, viewer.user_id)
    if card is None:
        winner_id = find_merged(tx, item.media_id)
        card = items.find_card_of_media(tx, item.library_id, winner_id, viewer.user_id) if winner_id else None
    if card is None:  # removed by somebody while we waited
        raise NotFound
    return card


def create_or_attach_item(
    tx: Connection, viewer: Viewer, link: LinkToSave, given: GivenUrl, *, now: datetime, delay_seconds: float = 0.0
) -> Placed:
    """Run the first transaction of a save: attach a known URL to the library, or make media, item and job of a new one.

    `delay_seconds`: how long the save fetches by itself; 0 if it does not wait for the page.
    """
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, link.library_id) if link.library_id else default_id
    known = find_known_page(tx, library_id, given.identity)
    is_web = isinstance(given.url, NormalisedUrl)
    placement = place(known, WantedLink(accepts_documents=link.accepts_documents, is_web=is_web))
    media_id = known.media_id if known else _insert_media(tx, given.url, now, accepts_documents=link.accepts_documents)
    if placement.accepts_documents_now:
        accept_documents(tx, [media_id])
    item = known.held if known else None
    if item is not None:
        add_to_item(tx, item, link.fields, now)
    else:
        item = new_item(library_id, media_id, given.text, viewer.user_id, link.fields, now=now)
        insert_item(tx, item, link.fields.tags)
    if default_id != library_id and (known is None or find_held_item(tx, default_id, media_id) is None):
        insert_item(tx, new_item(default_id, media_id, given.text, viewer.user_id, now=now))
    was_archived = known is not None and unarchive_item(tx, viewer, item, now)
    is_fetched_here = known is None and delay_seconds > 0
    if isinstance(given.url, NormalisedUrl) and placement.is_ingested:
        # A job that only waits for its save need not wait for the host's turn yet.
        host, run_at = (None, now + timedelta(seconds=delay_seconds)) if is_fetched_here else (given.url.host, now)
        queue.enqueue(tx, ingest_job(media_id, host, run_at, viewer.user_id, link.request_id), now=now)
    if placement.is_new_item and not is_fetched_here:  # filling the card will publish it
        events.publish_event(tx, media_id, "added", now)
    return Placed(item, placement, was_archived)


def _insert_media(
    tx: Connection, url: NormalisedUrl | OtherSchemeUrl, now: datetime, *, accepts_documents: bool
) -> UUID:
    media_id = new_media_id()
    if isinstance(url, OtherSchemeUrl):
        _insert_unfetchable(tx, media_id, url, now)
        return media_id
    insert_media(tx, media_id, str(url), ProcessingStatus.PENDING, now, accepts_documents=accepts_documents)
    insert_alias(tx, str(url), media_id)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    return media_id


def _insert_unfetchable(tx: Connection, media_id: UUID, url: OtherSchemeUrl, now: datetime) -> None:
    insert_media(
        tx,
        media_id,
        url.text,
        ProcessingStatus.INVALID_URL,
        now,
        failure_code=FailureCode.URL_INVALID,
        failure_message=NOT_A_PAGE,
        failure_stage=FailureStage.VALIDATE,
        failed_at=now,
    )
    insert_alias(tx, url.text, media_id)
    record = AttemptRecord(code=FailureCode.URL_INVALID, message=NOT_A_PAGE, validation_reason="scheme")
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.INVALID_URL, at=now, record=record))
    state = LifecycleState(media_id, ProcessingStatus.INVALID_URL, EnrichmentStatus.PENDING, 1)
    lifecycles.apply_move(tx, state, EnrichmentStatus.FAILED, at=now, enrichment_error=NOT_A_PAGE)


async def submit_article(
    saver: LinkSaver, viewer: Viewer, url: str, *, library_id: UUID | None = None, request_id: str | None
) -> Submitted:
    """Submit a page to be kept as an article: nothing is fetched here, a worker does it all.

    An article has a web URL; other URLs, which a save would accept, are refused.
    """
    given = parse_given_url(url)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    if isinstance(given.url, OtherSchemeUrl):
        raise UrlInvalid
    link = LinkToSave(url, library_id=library_id, wait=False, request_id=request_id, accepts_documents=False)
    saved = await save_link(saver, viewer, link)
    seen = await saver.database.read(view_media, viewer, saved.card.media)
    return Submitted(seen, saved.is_new_media, saved.is_enqueued, saved.notices)


async def enrich_item(
    saver: LinkSaver, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    """Fill an item's card again, on request: its texts and image are refreshed; a browser visits only for an image."""
    card = await saver.database.read(get_card, viewer, item_id, to_change=True)
    url = parse_url(card.media.canonical_url or card.item.url)
    if not isinstance(url, NormalisedUrl):
        raise Conflict("This is not a web page, so there is nothing to fetch.")
    wanted = CardToFill(card.media.id, url, viewer.user_id, refresh=True)
    saver.in_flight.start(card.media.id, fill_card(saver.filler, wanted))
    await saver.in_flight.wait(card.media.id, saver.settings.limits.save_budget_seconds)
    asked = _Asked(viewer, item_id, request_id, now)
    card = await saver.database.write(_ask_for_image, asked, url.host, saver.settings)
    saver.notifier.notify(JobKind.RENDER, card.media.id)
    saver.notifier.notify(JobKind.STORE_IMAGES, card.media.id)
    return card


def _ask_for_image(tx: Connection, asked: _Asked, host: str, settings: Settings) -> Card:
    """Queue the fetch of the page's own image, or a screenshot if there is none."""
    card = get_card(tx, asked.viewer, asked.item_id)
    if card.media.has_image and card.media.preview_image_url and settings.store_images:
        _enqueue(tx, asked, JobKind.STORE_IMAGES, card.media, None)
    elif wants_screenshot(card.media, can_render=settings.render != "never"):
        _enqueue(tx, asked, JobKind.RENDER, card.media, host)
    elif card.media.enrichment_status is EnrichmentStatus.PENDING and card.media.processing_status in FINAL:
        settle_card(tx, card.media, card.media.state, error=card.media.enrichment_error, now=asked.now)
        return get_card(tx, asked.viewer, asked.item_id)
    return card


def _enqueue(tx: Connection, asked: _Asked, kind: JobKind, media: Media, host: str | None) -> None:
    job = NewJob(kind, media.id, host, Priority.PERSON, asked.now, asked.viewer.user_id, asked.request_id)
    queue.enqueue(tx, job, now=asked.now)
