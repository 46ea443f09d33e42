"""What somebody uploaded becomes a private media, which their library shows at a URL. A unit of work."""

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO
from uuid import UUID

from kept.content.page.description import PageMetadata
from kept.domain.account import Viewer
from kept.domain.item import NO_FIELDS, Card, UserFields
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.domain.media import MediaKind
from kept.services.libraries.libraries import choose_library
from kept.services.pages.attaching import ItemToAttach, attach_item, unarchive_item
from kept.services.pages.cards import get_card
from kept.services.pages.copies import show_private_copy
from kept.services.pages.files import require_room
from kept.services.pages.states import settle_card
from kept.storage import captures, events, libraries, lifecycles, media, users
from kept.storage.captures import NewCapture
from kept.storage.database.engine import Connection
from kept.storage.images import page_images
from kept.storage.jobs import queue
from kept.storage.search import index
from kept.urls.given import GivenUrl


@dataclass(frozen=True, slots=True)
class FileToSave:
    file: BinaryIO
    """With a descriptor, however large."""
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
    """What it says of itself, as far as that is known yet."""
    kind: MediaKind = MediaKind.WEB_ARTICLE

    @property
    def url(self) -> str:
        return str(self.given.url)


@dataclass(frozen=True, slots=True)
class PlacedUpload:
    card: Card
    is_new: bool
    """False where the library shows this very file already."""


def place_upload(
    tx: Connection, viewer: Viewer, upload: UploadToPlace, *, quota_bytes: int, now: datetime
) -> PlacedUpload:
    users.lock_user(tx, viewer.user_id)  # two uploads at once would not find each other, nor count each other's bytes
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, upload.asked.library_id) if upload.asked.library_id else default_id
    known_id = captures.find_upload(tx, library_id, upload.url, upload.stored.digest or "")
    given, fields = upload.given.text, upload.asked.fields
    if known_id is not None and media.hold(tx, known_id):
        again = ItemToAttach(library_id, known_id, given, viewer.user_id, fields)
        item = attach_item(tx, again, now=now).item
        unarchive_item(tx, viewer, item, now)
        return PlacedUpload(get_card(tx, viewer, item.id), is_new=False)
    require_room(tx, viewer.user_id, upload.stored.size, quota_bytes)
    _insert_media(tx, viewer, upload, now)
    wanted = ItemToAttach(library_id, upload.media_id, given, viewer.user_id, fields)
    item = show_private_copy(tx, viewer, wanted, upload.url, now=now).item
    if default_id != library_id:
        own = ItemToAttach(default_id, upload.media_id, given, viewer.user_id)
        show_private_copy(tx, viewer, own, upload.url, now=now)
    events.publish_event(tx, upload.media_id, "added", now)
    return PlacedUpload(get_card(tx, viewer, item.id), is_new=True)


def _insert_media(tx: Connection, viewer: Viewer, upload: UploadToPlace, now: datetime) -> None:
    media_id, page = upload.media_id, upload.metadata
    media.insert_media(tx, media_id, upload.url, ProcessingStatus.PENDING, now, is_private=True, kind=upload.kind)
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
    job = NewJob(JobKind.INGEST, media_id, None, Priority.PERSON, now, viewer.user_id, upload.asked.request_id)
    queue.enqueue(tx, job, now=now)
