"""Save a page as somebody saw it: the file their browser made becomes a private media, without any fetch of the page.

The card is read from the file before the answer; the article is made by the `ingest` job.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from kept.clock import utc_now
from kept.config import Settings
from kept.content.whole_page.file_kind import FileKind
from kept.domain.account import Viewer
from kept.domain.capture import HTML_TYPE, MHTML_TYPE, CaptureFormat
from kept.domain.job import JobKind
from kept.ids import new_media_id
from kept.jobs.notifier import Notifier
from kept.services.pages.files import store_capture_file
from kept.services.saving.parse_upload_url import parse_upload_url
from kept.services.saving.place_upload import FileToSave, PlacedUpload, UploadToPlace, place_upload
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture, capture_key
from kept.storage.database.engine import Database
from kept.subprocesses.page_reader import OpenedPage, PageReaders


@dataclass(frozen=True, slots=True)
class PageSaver:
    """What saving an uploaded page needs; made once by the wiring."""

    database: Database
    blobs: BlobStore
    readers: PageReaders
    notifier: Notifier
    settings: Settings
    now: Callable[[], datetime] = utc_now


async def save_page(saver: PageSaver, viewer: Viewer, page: FileToSave) -> PlacedUpload:
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
        except Exception:  # whoever is cancelled knows not whether it is committed: `sweep_blobs` finds what is not
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
