"""New copies and whole pages of an item, when a person asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.capture import HTML_TYPE, MHTML_TYPE, Capture, CaptureFailure, CaptureFormat, explain_refusal
from kept.domain.document import is_upload_url
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.domain.item import BulkResult, Card, Item
from kept.domain.job import JobKind, Priority, ingest_job
from kept.domain.library import Role
from kept.domain.lifecycle import FINAL, ProcessingStatus, begin
from kept.domain.media import Media
from kept.ids import new_id, new_media_id
from kept.jobs.notifier import Notifier
from kept.services.pages.attaching import insert_item
from kept.services.pages.bulk import act_on_each
from kept.services.pages.cards import get_card
from kept.services.pages.files import require_room
from kept.services.pages.states import queue_capture
from kept.storage import captures, copies, events, items, libraries, lifecycles
from kept.storage.database.engine import Connection, Database
from kept.storage.media import find_media, insert_media, update_media
from kept.storage.queue import queue
from kept.urls.url import NormalisedUrl, get_url


@dataclass(frozen=True, slots=True)
class _Request:
    viewer: Viewer
    request_id: str | None
    now: datetime


@dataclass(frozen=True, slots=True)
class PageCapturer:
    """The dependencies of capturing whole pages, made once by the wiring."""

    database: Database
    notifier: Notifier
    settings: Settings


@dataclass(frozen=True, slots=True)
class WholePage:
    card: Card
    captures: tuple[Capture, ...]
    """The files of the page; an uploaded MHTML is one of them."""
    is_queued: bool
    may_change: bool
    original: Capture | None
    """The HTML that the viewer uploaded, unchanged."""
    failure: CaptureFailure | None

    def find(self, wanted: CaptureFormat) -> Capture | None:
        return next((one for one in self.captures if one.format is wanted), None)


@dataclass(frozen=True, slots=True)
class CaptureUse:
    bytes: int
    quota_bytes: int | None
    """The limit; None where there is none."""


async def recapture_item(
    database: Database, notifier: Notifier, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Media:
    """Make a new copy of a page: a new media is fetched, and `promote_copy` puts it in place when it is ready.

    Returns the media that is being made. Whoever asks while one is being made gets that one.
    """
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
    made = find_media(tx, copy_id)
    assert made is not None
    return made


def _find_or_make_copy(tx: Connection, card: Card, request: _Request) -> UUID:
    newest = copies.find_newest(tx, card.media)
    locked = find_media(tx, newest.id, lock=True)
    earlier_id = locked.superseded_by if locked else None
    earlier = find_media(tx, earlier_id) if earlier_id else None
    if earlier is not None and earlier.processing_status not in FINAL:
        return earlier.id
    # the URL everybody knows, or the one this library saved; never somebody else's
    copy_id = _make_copy(tx, get_url(newest.canonical_url or card.item.url), request)
    update_media(tx, newest.id, request.now, superseded_by=copy_id)
    if earlier is not None:  # it failed; whoever waited for it waits for this one
        items.repoint_items(tx, earlier.id, copy_id)
    return copy_id


def _make_copy(tx: Connection, url: NormalisedUrl, request: _Request) -> UUID:
    """Make a media without alias or canonical URL: the present copy has those until this one is ready."""
    copy_id, now = new_media_id(), request.now
    insert_media(tx, copy_id, str(url), ProcessingStatus.PENDING, now)
    lifecycles.insert_transition(tx, begin(copy_id, ProcessingStatus.PENDING, at=now))
    queue.enqueue(tx, ingest_job(copy_id, url.host, now, request.viewer.user_id, request.request_id), now=now)
    return copy_id


def _hold(tx: Connection, item: Item, copy_id: UUID, request: _Request) -> None:
    """Let the library that asked hold the copy from now on, beside the present one and hidden from its lists."""
    if items.find_item_of_media(tx, item.library_id, copy_id) is not None:
        return
    held = replace(item, id=new_id(), media_id=copy_id, title=None, excerpt=None, note=None)
    insert_item(tx, replace(held, added_by=request.viewer.user_id, created_at=request.now, updated_at=request.now))


async def recapture_items(
    database: Database,
    notifier: Notifier,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    *,
    request_id: str | None,
    now: datetime,
) -> BulkResult:
    """Make new copies of several pages, and count those that cannot be copied yet.

    If there is only one item, its error is raised instead.
    """
    recapture = partial(recapture_item, database, notifier, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, recapture, refusals=(NotFound, Forbidden), never_raised=(Conflict,))


async def capture_item(
    capturer: PageCapturer, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    """Have a browser keep a copy of an item's whole page; raises Conflict where that is impossible."""
    card = await capturer.database.write(_capture, viewer, item_id, request_id, capturer.settings, now)
    capturer.notifier.notify(JobKind.CAPTURE, card.media.id)
    return card


def _capture(
    tx: Connection, viewer: Viewer, item_id: UUID, request_id: str | None, settings: Settings, now: datetime
) -> Card:
    card = get_card(tx, viewer, item_id, to_change=True)
    refusal = explain_refusal(card.media, is_kept=settings.keeps_whole_pages)
    if refusal is not None:
        raise Conflict(refusal)
    require_room(tx, viewer.user_id, 1, settings.whole_page_quota_bytes)
    queue_capture(tx, card.media, viewer.user_id, request_id=request_id, priority=Priority.PERSON, now=now)
    return card


async def capture_items(
    capturer: PageCapturer, viewer: Viewer, item_ids: Sequence[UUID], *, request_id: str | None, now: datetime
) -> BulkResult:
    """Have a browser keep copies of several whole pages, and count those for which that is impossible.

    If there is only one item, its error is raised instead.
    """
    capture = partial(capture_item, capturer, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, capture, refusals=(Conflict, NotFound, Forbidden))


def list_captures(tx: Connection, viewer: Viewer, item_id: UUID) -> WholePage:
    """Return the files of an item's whole page, and whether more are on their way."""
    card = get_card(tx, viewer, item_id)
    found = captures.list_captures(tx, card.media.id)
    shown = tuple(one for one in map(_name, found) if one is not None)
    is_queued = queue.find_job(tx, JobKind.CAPTURE, card.media.id) is not None
    library = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    original = captures.find_original(tx, card.media.id, viewer.user_id)
    return WholePage(
        card,
        shown,
        is_queued,
        may_change=library is not None and library[1] is Role.ADMIN,
        original=original if original is not None and original.content_type == HTML_TYPE else None,
        failure=captures.find_failure(tx, card.media.id),
    )


def _name(capture: Capture) -> Capture | None:
    """Return the file for people; None for a document, and for uploaded HTML, whose static page is shown."""
    if capture.format is CaptureFormat.DOCUMENT:
        return None
    if capture.format is not CaptureFormat.UPLOAD:
        return capture
    if capture.content_type != MHTML_TYPE:
        return None
    return Capture(
        capture.media_id, CaptureFormat.MHTML, capture.blob_key, capture.content_type, capture.size, capture.created_at
    )


def measure_captures(tx: Connection, viewer: Viewer, settings: Settings) -> CaptureUse:
    """Return how many bytes of whole pages a user keeps, and the limit."""
    used = captures.count_bytes(tx, viewer.user_id)
    return CaptureUse(used, settings.whole_page_quota_bytes or None)
