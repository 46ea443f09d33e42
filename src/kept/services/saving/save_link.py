"""Save a link: the item is there after transaction one, whatever happens next; the card is filled before the answer.

A save of a known page touches no network. The job row is committed with the item, due after the budget, so that
a crash from there on loses nothing.
"""

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.errors import NotFound, UrlInvalid
from kept.domain.failures import FailureCode
from kept.domain.item import NO_WORDS, Card, Item, Words, join_notes
from kept.domain.library import require_admin
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, Standing, begin
from kept.ids import new_id, new_media_id
from kept.storage.jobs import queue
from kept.jobs.notifier import Notifier
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.services.ingesting.merge_media import wants_fresh_attempt
from kept.services.saving.fill_card import CardFiller
from kept.services.saving.in_flight import Flights
from kept.storage import copies, events, items, libraries, lifecycles, media
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.search import index as search_index
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, parse_url

NOT_A_PAGE = "This is not a web page, so there is nothing to fetch. It is kept as it was saved."


@dataclass(frozen=True, slots=True)
class LinkSaver:
    """What saving needs; made once by the wiring."""

    database: Database
    filler: CardFiller
    flights: Flights
    notifier: Notifier
    settings: Settings


@dataclass(frozen=True, slots=True)
class LinkToSave:
    url: str
    words: Words = NO_WORDS
    library_id: UUID | None = None
    wait: bool = True
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    card: Card
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool
    """Whether this save asked for the page to be ingested; a page that is known needs no more."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where transaction one left the link."""

    media_id: UUID
    library_id: UUID
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool


async def save_link(saver: LinkSaver, viewer: Viewer, link: LinkToSave) -> Saved:
    url = parse_url(link.url)
    if isinstance(url, RejectedUrl):
        raise UrlInvalid
    deadline = time.monotonic() + saver.settings.save_budget_seconds
    placed = await place(saver, viewer, link, url)
    if link.wait and isinstance(url, NormalisedUrl):
        if placed.is_new_media:
            flight = saver.filler.fill(placed.media_id, url, actor_user_id=viewer.user_id)
            saver.flights.start(placed.media_id, flight)
        await saver.flights.wait(placed.media_id, deadline - time.monotonic())
    saver.notifier.notify(JobKind.INGEST, placed.media_id)
    card = await read_card(saver.database, placed, viewer)
    return Saved(card, placed.is_new_item, placed.is_new_media, placed.is_enqueued)


async def place(saver: LinkSaver, viewer: Viewer, link: LinkToSave, url: NormalisedUrl | OtherSchemeUrl) -> Placed:
    """Transaction one."""
    return await saver.database.write_despite_races(lambda tx: place_in(tx, saver.settings, viewer, link, url))


async def place_in(
    tx: AsyncConnection, settings: Settings, viewer: Viewer, link: LinkToSave, url: NormalisedUrl | OtherSchemeUrl
) -> Placed:
    now = utc_now()
    default_id = await libraries.get_default_library_id(tx, viewer.user_id)
    library_id = await choose_library(tx, viewer, link.library_id, default_id)
    text = str(url) if isinstance(url, NormalisedUrl) else url.text
    media_id = await find_and_hold_page(tx, library_id, text)
    is_new_media = media_id is None
    if media_id is None:
        media_id = await insert_media(tx, settings, viewer, link, url, now)
    known = not is_new_media
    is_new_item, held_id = await attach(tx, viewer, library_id, media_id, text, link.words, now, known=known)
    if default_id != library_id:
        await attach(tx, viewer, default_id, media_id, text, NO_WORDS, now, known=known)
    is_enqueued = is_new_media and isinstance(url, NormalisedUrl)
    if is_new_item and not is_new_media:
        is_enqueued = await give_fresh_attempt(tx, viewer, link, media_id, url, now)
    if is_new_item and not (is_new_media and link.wait):  # filling the card will tell of it
        await events.tell_libraries(tx, media_id, "added", now)
    return Placed(held_id, library_id, is_new_item, is_new_media, is_enqueued)


async def find_and_hold_page(tx: AsyncConnection, library_id: UUID, url: str) -> UUID | None:
    """Held before an item is inserted: who merges locks the page, moves items, and would wait for one like ours."""
    while (media_id := await media.find_page(tx, library_id, url)) is not None:
        if await media.hold(tx, media_id):
            return media_id
    return None


async def choose_library(tx: AsyncConnection, viewer: Viewer, wanted: UUID | None, default_id: UUID) -> UUID:
    if wanted is None or wanted == default_id:
        return default_id
    _, role = await libraries.find_library(tx, wanted, viewer.user_id) or (None, None)
    require_admin(role)
    return wanted


async def insert_media(
    tx: AsyncConnection,
    settings: Settings,
    viewer: Viewer,
    link: LinkToSave,
    url: NormalisedUrl | OtherSchemeUrl,
    now: datetime,
) -> UUID:
    media_id = new_media_id()
    if isinstance(url, OtherSchemeUrl):
        await insert_unfetchable(tx, media_id, url, now)
        return media_id
    await media.insert_media(tx, media_id, str(url), ProcessingStatus.PENDING, now)
    await media.insert_alias(tx, str(url), media_id)
    await lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    # While the save itself fetches, no worker should; if it dies, one will.
    patience = timedelta(seconds=settings.save_budget_seconds + 1) if link.wait else timedelta()
    await queue.enqueue(tx, ingest_job(media_id, viewer, link, url, run_at=now + patience), now=now)
    return media_id


async def insert_unfetchable(tx: AsyncConnection, media_id: UUID, url: OtherSchemeUrl, now: datetime) -> None:
    await media.insert_media(
        tx,
        media_id,
        url.text,
        ProcessingStatus.INVALID_URL,
        now,
        failure_code=FailureCode.URL_INVALID,
        failure_message=NOT_A_PAGE,
        failure_stage="validate",
        failed_at=now,
    )
    await media.insert_alias(tx, url.text, media_id)
    history = {"code": FailureCode.URL_INVALID, "message": NOT_A_PAGE, "validation_reason": "scheme"}
    await lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.INVALID_URL, at=now, metadata=history))
    standing = Standing(media_id, ProcessingStatus.INVALID_URL, EnrichmentStatus.PENDING, 1)
    await lifecycles.apply_move(tx, standing, EnrichmentStatus.FAILED, at=now, enrichment_error=NOT_A_PAGE)


def ingest_job(media_id: UUID, viewer: Viewer, link: LinkToSave, url: NormalisedUrl, *, run_at: datetime) -> NewJob:
    return NewJob(
        kind=JobKind.INGEST,
        subject_id=media_id,
        host=None if link.wait else url.host,  # a job that only waits for its save owes the host no politeness yet
        priority=Priority.PERSON,
        run_at=run_at,
        actor_user_id=viewer.user_id,
        request_id=link.request_id,
    )


async def give_fresh_attempt(
    tx: AsyncConnection,
    viewer: Viewer,
    link: LinkToSave,
    media_id: UUID,
    url: NormalisedUrl | OtherSchemeUrl,
    now: datetime,
) -> bool:
    standing = await lifecycles.find_standing(tx, media_id)
    if standing is None or not wants_fresh_attempt(standing.processing) or not isinstance(url, NormalisedUrl):
        return False
    await queue.enqueue(tx, replace(ingest_job(media_id, viewer, link, url, run_at=now), host=url.host), now=now)
    return True


async def attach(
    tx: AsyncConnection,
    viewer: Viewer,
    library_id: UUID,
    media_id: UUID,
    url: str,
    words: Words,
    now: datetime,
    *,
    known: bool,
) -> tuple[bool, UUID]:
    """Whether this made a new item, and which media the item holds: a library keeps the copy it has of a page.

    Saving again adds tags and fills what is empty; it never overwrites. No library can hold a page not `known` before.
    """
    item = await find_held_item(tx, library_id, media_id) if known else None
    if item is None:
        item = Item(
            id=new_id(),
            library_id=library_id,
            media_id=media_id,
            url=url,
            added_by=viewer.user_id,
            title=words.title,
            excerpt=words.excerpt,
            note=words.note,
            created_at=now,
            updated_at=now,
        )
        await items.insert_item(tx, item)
        await items.add_tags(tx, library_id, item.id, words.tags)
        await search_index.index_item(tx, item, words.tags)
        return True, media_id
    if words != NO_WORDS:
        await items.update_item(
            tx,
            item.id,
            title=item.title or words.title,
            excerpt=item.excerpt or words.excerpt,
            note=join_notes(item.note, words.note),
            updated_at=now,
        )
        await items.add_tags(tx, library_id, item.id, words.tags)
        await search_index.index_items(tx, [item.id])
    return False, item.media_id


async def find_held_item(tx: AsyncConnection, library_id: UUID, media_id: UUID) -> Item | None:
    item = await items.find_item_of_media(tx, library_id, media_id)
    return item or await copies.find_older_item(tx, library_id, media_id)


async def read_card(database: Database, placed: Placed, viewer: Viewer) -> Card:
    """The finished card; by way of the merge, if the page turned out to be known under another address."""
    async with database.read() as tx:
        card = await items.find_card_of_media(tx, placed.library_id, placed.media_id, viewer.user_id)
        if card is None:
            winner_id = await media.find_merged(tx, placed.media_id)
            if winner_id is not None:
                card = await items.find_card_of_media(tx, placed.library_id, winner_id, viewer.user_id)
    if card is None:  # removed by somebody while we waited
        raise NotFound
    return card
