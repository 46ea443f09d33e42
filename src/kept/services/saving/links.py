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
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import (
    FINAL,
    EnrichmentStatus,
    LifecycleState,
    ProcessingStatus,
    begin,
    deserves_fresh_attempt,
)
from kept.domain.media import Media, wants_screenshot
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.libraries.libraries import choose_library
from kept.services.pages.attaching import ItemToAttach, attach_item, unarchive_item
from kept.services.pages.cards import SeenMedia, get_card, view_media
from kept.services.pages.states import settle_card
from kept.services.saving.cards import CardFiller, CardToFill, InFlight, NewItem, fill_card
from kept.storage import events, items, libraries, lifecycles, media
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import queue
from kept.urls.given import GivenUrl, UrlNotice, explain_rejection, parse_given_url
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, parse_url

NOT_A_PAGE: Final = "This is not a web page, so there is nothing to fetch. It is kept as it was saved."


@dataclass(frozen=True, slots=True)
class LinkSaver:
    """What saving needs; made once by the wiring."""

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
    """False where a web article is asked for."""


@dataclass(frozen=True, slots=True)
class Saved:
    card: Card
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool
    """Whether this save asked for the page to be ingested; a page that is known needs no more."""
    notices: tuple[UrlNotice, ...] = ()
    """What was changed in the URL that was given."""
    was_archived: bool = False
    """Whether the viewer had archived it: it is unarchived, and first in the list again."""


@dataclass(frozen=True, slots=True)
class LinkToPlace:
    given: GivenUrl
    fields: UserFields
    library_id: UUID | None
    job_delay_seconds: float
    """How long the save fetches by itself; 0 if it does not wait for the page."""
    request_id: str | None
    accepts_documents: bool = True
    """False where a web article is asked for: a file at the URL is a failure then."""

    @property
    def url(self) -> NormalisedUrl | OtherSchemeUrl:
        return self.given.url

    @property
    def identity(self) -> str:
        """By which the page is known; the item keeps what was given."""
        return self.given.identity


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the first transaction left the link."""

    item: Item
    tags: tuple[str, ...]
    """Of a new item; one that was there may have more."""
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool
    was_archived: bool = False
    """Whether the viewer had archived it; it is unarchived, and first in the list."""

    @property
    def media_id(self) -> UUID:
        return self.item.media_id

    @property
    def library_id(self) -> UUID:
        return self.item.library_id


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
    """Save a link: the item is there after the first transaction, whatever happens next; the card is filled before the
    answer.

    A save of a known page touches no network. The job row is committed with the item, due after the save's own time
    budget, so that a crash from there on loses nothing.
    """
    given = parse_given_url(link.url)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    deadline = time.monotonic() + saver.settings.limits.save_budget_seconds
    placed = await saver.database.write(create_or_attach_item, viewer, _describe(saver, link, given), now=saver.now())
    card = await _wait_for_card(saver, viewer, placed, given.url, deadline) if link.wait else None
    saver.notifier.notify(JobKind.INGEST, placed.media_id)
    if card is None:
        card = await saver.database.read(_get_card, placed, viewer)
    # The page may have turned out to be known, and its item to be there, under another URL.
    is_new_item = placed.is_new_item and card.item.id == placed.item.id
    is_new_media = placed.is_new_media and card.media.id == placed.media_id
    return Saved(card, is_new_item, is_new_media, placed.is_enqueued, given.notices, placed.was_archived)


def _describe(saver: LinkSaver, link: LinkToSave, given: GivenUrl) -> LinkToPlace:
    # While the save itself fetches, no worker should; if it dies, one will.
    delay_seconds = saver.settings.limits.save_budget_seconds + 1 if link.wait else 0.0
    where = given, link.fields, link.library_id, delay_seconds, link.request_id
    return LinkToPlace(*where, accepts_documents=link.accepts_documents)


async def _wait_for_card(
    saver: LinkSaver, viewer: Viewer, placed: Placed, url: NormalisedUrl | OtherSchemeUrl, deadline: float
) -> Card | None:
    """The card, if it was filled for this save and in time."""
    if not isinstance(url, NormalisedUrl):
        return None
    if placed.is_new_media:
        wanted = CardToFill(placed.media_id, url, viewer.user_id, NewItem(placed.item, placed.tags))
        saver.in_flight.start(placed.media_id, fill_card(saver.filler, wanted))
    card = await saver.in_flight.wait(placed.media_id, deadline - time.monotonic())
    return card if placed.is_new_media else None


def _get_card(tx: Connection, placed: Placed, viewer: Viewer) -> Card:
    """By way of the merge, if the page turned out to be known under another URL."""
    card = items.find_card_of_media(tx, placed.library_id, placed.media_id, viewer.user_id)
    if card is None:
        winner_id = media.find_merged(tx, placed.media_id)
        card = items.find_card_of_media(tx, placed.library_id, winner_id, viewer.user_id) if winner_id else None
    if card is None:  # removed by somebody while we waited
        raise NotFound
    return card


def create_or_attach_item(tx: Connection, viewer: Viewer, link: LinkToPlace, *, now: datetime) -> Placed:
    """The first transaction of a save: a known URL is attached to the library, a new one becomes media, item and
    job."""
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, link.library_id) if link.library_id else default_id
    known_id = _find_and_hold_media(tx, library_id, link.identity)
    is_new_media = known_id is None
    media_id = known_id or _insert_media(tx, viewer, link, now)
    wanted = ItemToAttach(library_id, media_id, link.given.text, viewer.user_id, link.fields)
    attached = attach_item(tx, wanted, now=now, is_new_media=is_new_media)
    if default_id != library_id:
        own = ItemToAttach(default_id, media_id, link.given.text, viewer.user_id, NO_FIELDS)
        attach_item(tx, own, now=now, is_new_media=is_new_media)
    was_archived = not is_new_media and unarchive_item(tx, viewer, attached.item, now)
    is_enqueued = is_new_media and isinstance(link.url, NormalisedUrl)
    if not is_new_media and _deserves_attempt(tx, link, media_id, is_new_item=attached.is_new):
        is_enqueued = _give_fresh_attempt(tx, viewer, link, media_id, now)
    if attached.is_new and not (is_new_media and link.job_delay_seconds):  # filling the card will publish it
        events.publish_event(tx, media_id, "added", now)
    return Placed(attached.item, link.fields.tags, attached.is_new, is_new_media, is_enqueued, was_archived)


def _find_and_hold_media(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    """Held before an item is inserted: who merges locks the media, moves items, and would wait for one like ours."""
    while (media_id := media.find_page(tx, library_id, url)) is not None:
        if media.hold(tx, media_id):
            return media_id
    return None


def _insert_media(tx: Connection, viewer: Viewer, link: LinkToPlace, now: datetime) -> UUID:
    media_id = new_media_id()
    if isinstance(link.url, OtherSchemeUrl):
        _insert_unfetchable(tx, media_id, link.url, now)
        return media_id
    accepts = {"accepts_documents": link.accepts_documents}
    media.insert_media(tx, media_id, link.identity, ProcessingStatus.PENDING, now, **accepts)
    media.insert_alias(tx, link.identity, media_id)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    # A job that only waits for its save owes the host no politeness yet.
    host = None if link.job_delay_seconds else link.url.host
    run_at = now + timedelta(seconds=link.job_delay_seconds)
    queue.enqueue(tx, _ingest_job(viewer, link, media_id, host, run_at), now=now)
    return media_id


def _insert_unfetchable(tx: Connection, media_id: UUID, url: OtherSchemeUrl, now: datetime) -> None:
    media.insert_media(
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
    media.insert_alias(tx, url.text, media_id)
    record = AttemptRecord(code=FailureCode.URL_INVALID, message=NOT_A_PAGE, validation_reason="scheme")
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.INVALID_URL, at=now, record=record))
    state = LifecycleState(media_id, ProcessingStatus.INVALID_URL, EnrichmentStatus.PENDING, 1)
    lifecycles.apply_move(tx, state, EnrichmentStatus.FAILED, at=now, enrichment_error=NOT_A_PAGE)


def _deserves_attempt(tx: Connection, link: LinkToPlace, media_id: UUID, *, is_new_item: bool) -> bool:
    is_wider = link.accepts_documents and media.accept_documents(tx, media_id)
    found = media.find_media(tx, media_id)
    if found is None:
        return False
    if is_wider and found.processing_status is ProcessingStatus.EXTRACTING:  # by a worker that wants no document
        return True
    is_asked = is_new_item or is_wider or (link.accepts_documents and found.may_be_a_document)
    return is_asked and deserves_fresh_attempt(found.processing_status)


def _give_fresh_attempt(tx: Connection, viewer: Viewer, link: LinkToPlace, media_id: UUID, now: datetime) -> bool:
    if not isinstance(link.url, NormalisedUrl):
        return False
    queue.enqueue(tx, _ingest_job(viewer, link, media_id, link.url.host, now), now=now)
    return True


def _ingest_job(viewer: Viewer, link: LinkToPlace, media_id: UUID, host: str | None, run_at: datetime) -> NewJob:
    return NewJob(JobKind.INGEST, media_id, host, Priority.PERSON, run_at, viewer.user_id, link.request_id)


async def submit_article(
    saver: LinkSaver, viewer: Viewer, url: str, *, library_id: UUID | None = None, request_id: str | None
) -> Submitted:
    """Hand in a page to be kept as an article: nothing is fetched here, a worker does it all.

    An article has a web URL: what saving keeps as mere text is refused here.
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
    """Fill an item's card again, on purpose: its words and image are refreshed; a browser is sent only for an image."""
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
    """The page's own is fetched; if that fails, or there is none, a browser takes a screenshot."""
    card = get_card(tx, asked.viewer, asked.item_id)
    if card.media.has_image and card.media.preview_image_url and settings.store_images:
        _enqueue(tx, asked, JobKind.STORE_IMAGES, card.media, None)
    elif wants_screenshot(card.media, can_render=settings.render != "never"):
        _enqueue(tx, asked, JobKind.RENDER, card.media, host)
    elif card.media.enrichment_status is EnrichmentStatus.PENDING and card.media.processing_status in FINAL:
        settle_card(tx, card.media, card.media.state, error=card.media.enrichment_error, now=asked.now)
        return get_card(tx, asked.viewer, asked.item_id)
    return card


def _enqueue(tx: Connection, asked: _Asked, kind: JobKind, found: Media, host: str | None) -> None:
    job = NewJob(kind, found.id, host, Priority.PERSON, asked.now, asked.viewer.user_id, asked.request_id)
    queue.enqueue(tx, job, now=asked.now)
