"""Save a page as somebody saw it: the file their browser made becomes a private media, without any fetch of the page.

The card is read from the file before the answer; the article is made by the `ingest` job.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.content.whole_page.page_file import FileKind
from kept.domain.account import Viewer
from kept.domain.capture import HTML_TYPE, MHTML_TYPE, CaptureFormat
from kept.domain.errors import UrlInvalid
from kept.domain.item import NO_FIELDS, Card, UserFields
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.captures.require_room import require_room
from kept.services.captures.show_private_copy import show_private_copy
from kept.services.ingesting.settle_card import settle_card
from kept.services.items.get_card import get_card
from kept.services.libraries.choose_library import choose_library
from kept.services.saving.attach_item import ItemToAttach, attach_item
from kept.services.saving.unarchive_item import unarchive_item
from kept.storage import captures, events, libraries, lifecycles, media
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture, capture_key
from kept.storage.database.engine import Connection, Database
from kept.storage.images import page_images
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.subprocesses.page_reader import OpenedPage, PageReaders
from kept.urls.given import GivenUrl, parse_given_url
from kept.urls.messages import explain_rejection
from kept.urls.url import NormalisedUrl, RejectedUrl


@dataclass(frozen=True, slots=True)
class PageSaver:
    """What saving an uploaded page needs; made once by the wiring."""

    database: Database
    blobs: BlobStore
    readers: PageReaders
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class PageToSave:
    file: BinaryIO
    """With a descriptor, however large."""
    url: str
    fields: UserFields = NO_FIELDS
    library_id: UUID | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class SavedPage:
    card: Card
    is_new: bool
    """False where the library shows this very file already."""


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file that was read and stored, on its way to become a media."""

    media_id: UUID
    given: GivenUrl
    page: PageToSave
    opened: OpenedPage
    stored: NewCapture

    @property
    def url(self) -> str:
        return str(self.given.url)


async def save_page(saver: PageSaver, viewer: Viewer, page: PageToSave) -> SavedPage:
    given = _parse_url(page.url)
    async with saver.readers.start(page.file) as reader:
        opened = await reader.open(str(given.url))
        file = await reader.expand() if opened.is_expanded else page.file
        media_id = new_media_id()
        key = capture_key(media_id, f"upload.{opened.kind}")
        try:
            stored = await _store(saver.blobs, key, file, opened)
            upload = _Upload(media_id, given, page, opened, stored)
            saved = await saver.database.write(_place, viewer, upload, saver.settings, now=saver.now())
        except BaseException:
            await asyncio.shield(saver.blobs.delete(key))
            raise
    if not saved.is_new:
        await saver.blobs.delete(key)
    saver.notifier.notify(JobKind.INGEST, saved.card.media.id)
    return saved


def _parse_url(text: str) -> GivenUrl:
    given = parse_given_url(text)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    if not isinstance(given.url, NormalisedUrl):
        raise UrlInvalid
    return given


async def _store(blobs: BlobStore, key: str, file: BinaryIO, opened: OpenedPage) -> NewCapture:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    content_type = MHTML_TYPE if opened.kind is FileKind.MHTML else HTML_TYPE
    await blobs.put_file(key, file, content_type)
    return NewCapture(CaptureFormat.UPLOAD, key, content_type, size, opened.digest)


def _place(tx: Connection, viewer: Viewer, upload: _Upload, settings: Settings, *, now: datetime) -> SavedPage:
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, upload.page.library_id) if upload.page.library_id else default_id
    known_id = captures.find_upload(tx, library_id, upload.url, upload.opened.digest)
    given, fields = upload.given.text, upload.page.fields
    if known_id is not None and media.hold(tx, known_id):
        again = ItemToAttach(library_id, known_id, given, viewer.user_id, fields)
        item = attach_item(tx, again, now=now).item
        unarchive_item(tx, viewer, item, now)
        return SavedPage(get_card(tx, viewer, item.id), is_new=False)
    require_room(tx, viewer.user_id, upload.stored.size, settings.whole_page_quota_bytes)
    _insert_media(tx, viewer, upload, now)
    wanted = ItemToAttach(library_id, upload.media_id, given, viewer.user_id, fields)
    item = show_private_copy(tx, viewer, wanted, upload.url, now=now).item
    if default_id != library_id:
        own = ItemToAttach(default_id, upload.media_id, given, viewer.user_id)
        show_private_copy(tx, viewer, own, upload.url, now=now)
    events.publish_event(tx, upload.media_id, "added", now)
    return SavedPage(get_card(tx, viewer, item.id), is_new=True)


def _insert_media(tx: Connection, viewer: Viewer, upload: _Upload, now: datetime) -> None:
    media_id, page = upload.media_id, upload.opened.card.metadata
    media.insert_media(tx, media_id, upload.url, ProcessingStatus.PENDING, now, is_private=True)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    media.fill_card_gaps(tx, media_id, page, now)
    media.insert_image_assets(tx, media_id, page_images(media_id, page.preview_image_url, page.favicon_url), now)
    filled = media.find_media(tx, media_id)
    assert filled is not None
    if filled.title or filled.excerpt or filled.has_image:
        settle_card(tx, filled, filled.state, error=None, now=now)
    index.index_page(tx, media_id)
    captures.put_capture(tx, media_id, upload.stored, viewer.user_id, now)
    # nothing is fetched for it, so that it owes no host politeness
    job = NewJob(JobKind.INGEST, media_id, None, Priority.PERSON, now, viewer.user_id, upload.page.request_id)
    queue.enqueue(tx, job, now=now)
