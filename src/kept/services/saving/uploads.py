"""Saving a page or a document that was uploaded as a file."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.content.documents.recognise import HEAD_BYTES, clean_name, make_title, recognise
from kept.content.images.format import sniff_image
from kept.content.page.description import PageMetadata
from kept.domain.account import Viewer
from kept.domain.capture import HTML_TYPE, MHTML_TYPE, CaptureFormat, FileKind
from kept.domain.document import CONTENT_TYPES, make_upload_url
from kept.domain.errors import PageUnreadable, UrlInvalid
from kept.domain.item import NO_FIELDS, Card, Item, UserFields
from kept.domain.job import JobKind, ingest_job
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.domain.media import MediaKind
from kept.domain.placing import Brought, KnownPage, Place, WantedLink, place
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.libraries.libraries import choose_library
from kept.services.pages.attaching import add_to_item, find_known_page, insert_item, new_item, unarchive_item
from kept.services.pages.cards import get_card
from kept.services.pages.copies import show_private_copy
from kept.services.pages.files import require_room, store_capture_file, store_document_file
from kept.services.pages.states import settle_card
from kept.storage import captures, events, libraries, lifecycles, users
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture, capture_key
from kept.storage.database.engine import Connection, Database
from kept.storage.images import page_images
from kept.storage.media import fill_card_gaps, find_media, insert_image_assets, insert_media
from kept.storage.queue import queue
from kept.storage.search import index
from kept.subprocesses.pages import OpenedPage, PageReaders
from kept.urls.given import GivenUrl, explain_rejection, parse_given_url
from kept.urls.url import NormalisedUrl, RejectedUrl

EMPTY: Final = "The file is empty."
FILE: Final = WantedLink(Brought.FILE)
UNKNOWN: Final = "This file is no PDF, EPUB, image, plain text or Markdown."


@dataclass(frozen=True, slots=True)
class FileToSave:
    file: BinaryIO
    """A file with a descriptor, of any size."""
    url: str
    fields: UserFields = NO_FIELDS
    library_id: UUID | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class UploadToPlace:
    """A file that was recognised and stored, on its way to become a media."""

    media_id: UUID
    given: GivenUrl
    asked: FileToSave
    stored: NewCapture
    metadata: PageMetadata
    """What the file says of itself, as far as that is known yet."""
    kind: MediaKind = MediaKind.WEB_ARTICLE

    @property
    def url(self) -> str:
        return str(self.given.url)


@dataclass(frozen=True, slots=True)
class PlacedUpload:
    card: Card
    is_new: bool
    """Whether the file is new; False where the library shows this very file already."""


@dataclass(frozen=True, slots=True)
class PageSaver:
    """The dependencies of saving an uploaded page, made once by the wiring."""

    database: Database
    blobs: BlobStore
    readers: PageReaders
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class DocumentSaver:
    """The dependencies of saving a document, made once by the wiring."""

    database: Database
    blobs: BlobStore
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


def parse_upload_url(text: str) -> GivenUrl:
    """Parse the URL that somebody gives for an uploaded file; raises UrlInvalid."""
    given = parse_given_url(text)
    if isinstance(given, RejectedUrl):
        raise UrlInvalid(explain_rejection(given.reason))
    if not isinstance(given.url, NormalisedUrl):
        raise UrlInvalid
    return given


def place_upload(
    tx: Connection, viewer: Viewer, upload: UploadToPlace, *, quota_bytes: int, now: datetime
) -> PlacedUpload:
    """Make a private media of an upload, which the user's library shows at a URL, in one unit of work."""
    users.lock_user(tx, viewer.user_id)  # two uploads at once would not find each other, nor count each other's bytes
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, upload.asked.library_id) if upload.asked.library_id else default_id
    known = find_known_page(tx, library_id, upload.url)
    same_id = captures.find_upload(tx, library_id, upload.url, upload.stored.digest or "")
    if known is not None and known.media_id == same_id:
        known = replace(known, is_same_file=True)
    is_new = place(known, FILE).is_new_page
    if is_new:
        require_room(tx, viewer.user_id, upload.stored.size, quota_bytes)
        _insert_media(tx, viewer, upload, now)
    item = _put_into(tx, viewer, upload, library_id, known, now)
    if is_new and default_id != library_id:
        own = replace(upload, asked=replace(upload.asked, fields=NO_FIELDS))
        _put_into(tx, viewer, own, default_id, find_known_page(tx, default_id, upload.url), now)
    if is_new:
        events.publish_event(tx, upload.media_id, "added", now)
    return PlacedUpload(get_card(tx, viewer, item.id), is_new)


def _put_into(
    tx: Connection, viewer: Viewer, upload: UploadToPlace, library_id: UUID, known: KnownPage | None, now: datetime
) -> Item:
    """Return one library's item of the file; the copy that the library showed before stays beside it."""
    fields = upload.asked.fields
    where = place(known, FILE).place
    if where is not Place.PRESENT_ITEM:
        captures.put_private_page(tx, library_id, upload.url, upload.media_id)
    if known is None or known.held is None:
        item = new_item(library_id, upload.media_id, upload.given.text, viewer.user_id, fields, now=now)
        insert_item(tx, item, fields.tags)
        return item
    item = show_private_copy(tx, known.held, upload.media_id, now=now) if where is Place.SHOWN_COPY else known.held
    add_to_item(tx, item, fields, now)
    unarchive_item(tx, viewer, item, now)
    return item


def _insert_media(tx: Connection, viewer: Viewer, upload: UploadToPlace, now: datetime) -> None:
    media_id, page = upload.media_id, upload.metadata
    insert_media(tx, media_id, upload.url, ProcessingStatus.PENDING, now, is_private=True, kind=upload.kind)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    fill_card_gaps(tx, media_id, page, now)
    insert_image_assets(tx, media_id, page_images(media_id, page.preview_image_url, page.favicon_url), now)
    filled = find_media(tx, media_id)
    assert filled is not None
    if filled.title or filled.excerpt or filled.has_image:
        settle_card(tx, filled, filled.state, error=None, now=now)
    index.index_page(tx, media_id)
    captures.put_capture(tx, media_id, upload.stored, viewer.user_id, now)
    # nothing is fetched for it, so that it need not wait for a host
    job = ingest_job(media_id, None, now, viewer.user_id, upload.asked.request_id)
    queue.enqueue(tx, job, now=now)


async def save_page(saver: PageSaver, viewer: Viewer, page: FileToSave) -> PlacedUpload:
    """Save a page as somebody saw it: the file from their browser becomes a private media, and nothing is fetched.

    The card is read from the file before the answer; the article is made by the `ingest` job.
    """
    given = parse_upload_url(page.url)
    async with saver.readers.start(page.file) as reader:
        opened = await reader.open(str(given.url))
        file = await reader.expand() if opened.is_expanded else page.file
        media_id = new_media_id()
        key = capture_key(media_id, f"upload.{opened.kind}")
        try:
            stored = await _store(saver.blobs, key, file, opened)
            upload = UploadToPlace(media_id, given, page, stored, opened.card.metadata)
            quota = saver.settings.whole_page_quota_bytes
            saved = await saver.database.write(place_upload, viewer, upload, quota_bytes=quota, now=saver.now())
        except Exception:  # a cancelled caller does not know whether it is committed: `sweep_blobs` finds what is not
            await saver.blobs.delete(key)
            raise
    if not saved.is_new:
        await saver.blobs.delete(key)
    saver.notifier.notify(JobKind.INGEST, saved.card.media.id)
    return saved


async def _store(blobs: BlobStore, key: str, file: BinaryIO, opened: OpenedPage) -> NewCapture:
    content_type = MHTML_TYPE if opened.kind is FileKind.MHTML else HTML_TYPE
    stored = await store_capture_file(blobs, key, file, CaptureFormat.UPLOAD, content_type)
    return replace(stored, digest=opened.digest)


async def save_document(
    saver: DocumentSaver, viewer: Viewer, asked: FileToSave, *, name: str, content_type: str | None
) -> PlacedUpload:
    """Save a document that somebody uploads: it becomes a private media; a worker reads it.

    `asked.url` may be empty, and the file itself then names the item.
    """
    name = clean_name(name)
    head = asked.file.read(HEAD_BYTES)
    if not head:
        raise PageUnreadable(EMPTY)
    kind = recognise(head, content_type, name)
    if kind is None:
        raise PageUnreadable(UNKNOWN)
    media_id = new_media_id()
    served_as = CONTENT_TYPES.get(kind) or _name_image(head)
    stored = await store_document_file(saver.blobs, asked.file, media_id, served_as)
    try:
        given = parse_upload_url(asked.url or make_upload_url(stored.digest or "", name))
        upload = UploadToPlace(media_id, given, asked, stored, PageMetadata(title=make_title(name)), kind=kind.kind)
        quota = saver.settings.whole_page_quota_bytes
        saved = await saver.database.write(place_upload, viewer, upload, quota_bytes=quota, now=saver.now())
    except Exception:  # a cancelled caller does not know whether it is committed: `sweep_blobs` finds what is not
        await saver.blobs.delete(stored.blob_key)
        raise
    if not saved.is_new:
        await saver.blobs.delete(stored.blob_key)
    saver.notifier.notify(JobKind.INGEST, saved.card.media.id)
    return saved


def _name_image(head: bytes) -> str:
    image = sniff_image(head)
    assert image is not None  # it was recognised by this
    return image.value
