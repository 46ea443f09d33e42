"""Save a link: the item is there after the first transaction, whatever happens next; the card is filled before the
answer.

A save of a known page touches no network. The job row is committed with the item, due after the save's own time
budget, so that a crash from there on loses nothing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.errors import NotFound, UrlInvalid
from kept.domain.item import NO_FIELDS, Card, UserFields
from kept.domain.job import JobKind
from kept.jobs.notifier import Notifier
from kept.services.saving.create_or_attach_item import LinkToPlace, Placed, create_or_attach_item
from kept.services.saving.fill_card import CardFiller, CardToFill, NewItem, fill_card
from kept.services.saving.in_flight import InFlight
from kept.storage import items, media
from kept.storage.database.engine import Connection, Database
from kept.urls.given import GivenUrl, UrlNotice, parse_given_url
from kept.urls.messages import explain_rejection
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl


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


async def save_link(saver: LinkSaver, viewer: Viewer, link: LinkToSave) -> Saved:
    given = parse_given_url(link.url)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    deadline = time.monotonic() + saver.settings.save_budget_seconds
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
    delay_seconds = saver.settings.save_budget_seconds + 1 if link.wait else 0.0
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
