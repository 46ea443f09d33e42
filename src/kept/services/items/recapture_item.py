"""Keep a new copy of a page: a new media is made and fetched, and takes its place once it is ready (`promote_copy`)."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.document import is_upload_url
from kept.domain.errors import Conflict
from kept.domain.item import Card, Item
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import FINAL, ProcessingStatus, begin
from kept.domain.media import Media
from kept.ids import new_id, new_media_id
from kept.jobs.notifier import Notifier
from kept.services.pages.cards import get_card
from kept.storage import copies, events, items, lifecycles, media
from kept.storage.database.engine import Connection, Database
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.urls.url import NormalisedUrl, get_url


@dataclass(frozen=True, slots=True)
class _Request:
    viewer: Viewer
    request_id: str | None
    now: datetime


async def recapture_item(
    database: Database, notifier: Notifier, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Media:
    """The media that is being made. Who asks while one is being made joins in."""
    made = await database.write(_recapture, item_id, _Request(viewer, request_id, now))
    notifier.notify(JobKind.INGEST, made.id)
    return made


def _recapture(tx: Connection, item_id: UUID, request: _Request) -> Media:
    card = get_card(tx, request.viewer, item_id, to_change=True)
    if not card.media.is_readable:
        raise Conflict("There is no copy of this page yet; try it again instead.")
    if is_upload_url(card.item.url):
        raise Conflict("This file was uploaded, and has no URL to fetch it from.")
    copy_id = _find_or_make_copy(tx, card, request)
    _hold(tx, card.item, copy_id, request)
    events.publish_event(tx, card.media.id, "changed", request.now)
    made = media.find_media(tx, copy_id)
    assert made is not None
    return made


def _find_or_make_copy(tx: Connection, card: Card, request: _Request) -> UUID:
    newest = copies.find_newest(tx, card.media)
    locked = media.find_media(tx, newest.id, lock=True)
    earlier_id = locked.superseded_by if locked else None
    earlier = media.find_media(tx, earlier_id) if earlier_id else None
    if earlier is not None and earlier.processing_status not in FINAL:
        return earlier.id
    # the URL everybody knows, or the one this library saved; never somebody else's
    copy_id = _make_copy(tx, get_url(newest.canonical_url or card.item.url), request)
    media.update_media(tx, newest.id, request.now, superseded_by=copy_id)
    if earlier is not None:  # it failed; whoever waited for it waits for this one
        items.repoint_items(tx, earlier.id, copy_id)
    return copy_id


def _make_copy(tx: Connection, url: NormalisedUrl, request: _Request) -> UUID:
    """Without an alias or a canonical URL: those are the present copy's until this one is ready."""
    copy_id, now = new_media_id(), request.now
    media.insert_media(tx, copy_id, str(url), ProcessingStatus.PENDING, now)
    lifecycles.insert_transition(tx, begin(copy_id, ProcessingStatus.PENDING, at=now))
    actor_user_id = request.viewer.user_id
    job = NewJob(JobKind.INGEST, copy_id, url.host, Priority.PERSON, now, actor_user_id, request.request_id)
    queue.enqueue(tx, job, now=now)
    return copy_id


def _hold(tx: Connection, item: Item, copy_id: UUID, request: _Request) -> None:
    """The library that asked holds the copy from now on, beside the present one and out of its lists."""
    if items.find_item_of_media(tx, item.library_id, copy_id) is not None:
        return
    held = replace(item, id=new_id(), media_id=copy_id, title=None, excerpt=None, note=None)
    held = replace(held, added_by=request.viewer.user_id, created_at=request.now, updated_at=request.now)
    items.insert_item(tx, held)
    index.index_item(tx, held)
