"""Save a document that somebody uploads: it becomes a private media; a worker reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.clock import utc_now
from kept.config import Settings
from kept.content.documents.file_name import clean_name, make_title
from kept.content.documents.recognise import HEAD_BYTES, recognise
from kept.content.images.format import sniff_image
from kept.content.page.description import PageMetadata
from kept.domain.account import Viewer
from kept.domain.document import CONTENT_TYPES, make_upload_url
from kept.domain.errors import PageUnreadable
from kept.domain.job import JobKind
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.pages.files import store_document_file
from kept.services.saving.parse_upload_url import parse_upload_url
from kept.services.saving.place_upload import FileToSave, PlacedUpload, UploadToPlace, place_upload
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database

EMPTY: Final = "The file is empty."
UNKNOWN: Final = "This file is no PDF, EPUB, image, plain text or Markdown."


@dataclass(frozen=True, slots=True)
class DocumentSaver:
    """What saving a document needs; made once by the wiring."""

    database: Database
    blobs: BlobStore
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


async def save_document(
    saver: DocumentSaver, viewer: Viewer, asked: FileToSave, *, name: str, content_type: str | None
) -> PlacedUpload:
    """`asked.url` may be empty: then the file itself names the item."""
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
    except Exception:  # whoever is cancelled knows not whether it is committed: `sweep_blobs` finds what is not
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
