"""Files of pages and documents, stored as blobs, and the room a user has for them."""

import asyncio
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import BinaryIO, Final, Protocol
from uuid import UUID

import structlog

from kept.config import Settings
from kept.content.images.format import BadImage
from kept.domain.capture import HTML_TYPE, CaptureFormat
from kept.domain.document import EXTENSIONS
from kept.domain.errors import PageUnreadable, QuotaExceeded, TooLarge
from kept.storage import captures
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture, capture_key, document_key
from kept.storage.database.engine import Connection
from kept.storage.images import blob_key_of
from kept.subprocesses.images import ImagePool
from kept.subprocesses.pages import PageReader, PageReaders

log = structlog.get_logger("kept.captures")
PIECE_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The dependencies of working with files of pages, made once by the wiring."""

    blobs: BlobStore
    readers: PageReaders
    images: ImagePool


class ImageSource(Protocol):
    """A reader of a file that can return an image from it."""

    async def read_image(self, url: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class StoredFileImage:
    asset_id: UUID
    blob_key: str
    content_type: str
    size: int


async def store_capture_file(
    blobs: BlobStore, key: str, file: BinaryIO, capture_format: CaptureFormat, content_type: str
) -> NewCapture:
    """Store a file of a page or a document as a blob; the caller writes its row."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    await blobs.put_file(key, file, content_type)
    return NewCapture(capture_format, key, content_type, size)


async def store_images_in_file(
    files: PageFiles, reader: ImageSource, media_id: UUID, wanted: Iterable[tuple[UUID, str]], settings: Settings
) -> tuple[StoredFileImage, ...]:
    """Store images that came inside the file of a page; each is decoded and made safe like one from a site.

    `wanted` has the id and the URL of each; those that the file does not hold are left out. It is called before their
    rows are written: a blob that no row comes to name is removed later.
    """
    stored: list[StoredFileImage] = []
    for asset_id, url in dict(wanted).items():
        if len(stored) >= settings.limits.image_count or sum(one.size for one in stored) >= settings.image_total_bytes:
            break
        data = await reader.read_image(url)
        if data is None or len(data) > settings.limits.image_max_bytes:
            continue
        made = await files.images.clean(data)
        if isinstance(made, BadImage):
            continue
        key = blob_key_of(media_id, asset_id, hashlib.sha256(made.data).hexdigest(), made.kind.extension)
        await files.blobs.put(key, made.data, made.kind)
        stored.append(StoredFileImage(asset_id, key, made.kind.value, len(made.data)))
    return tuple(stored)


async def store_static_page(files: PageFiles, reader: PageReader, media_id: UUID) -> NewCapture | None:
    """Make a static page of the file of a whole page that the reader has opened, and store it.

    Returns None where it could not be made.
    """
    try:
        made = await reader.make_static()
    except (PageUnreadable, TooLarge) as error:
        log.warning("captures.no_static_page", media_id=str(media_id), reason=error.message)
        return None
    key = capture_key(media_id, "static.html")
    return await store_capture_file(files.blobs, key, made, CaptureFormat.HTML, HTML_TYPE)


def require_room(tx: Connection, user_id: UUID, size: int, quota_bytes: int) -> None:
    """Raise QuotaExceeded unless a user may keep so many more bytes of whole pages. `quota_bytes` 0 is no limit."""
    if quota_bytes and captures.count_bytes(tx, user_id) + size > quota_bytes:
        raise QuotaExceeded


async def store_document_file(blobs: BlobStore, file: BinaryIO, media_id: UUID, content_type: str) -> NewCapture:
    """Store the file of a document as a blob; the caller writes its row.

    The same file of the same media has the same key each time: storing it twice leaves nothing behind.
    """
    digest = await asyncio.to_thread(_digest, file)
    key = document_key(media_id, digest, EXTENSIONS[content_type])
    stored = await store_capture_file(blobs, key, file, CaptureFormat.DOCUMENT, content_type)
    file.seek(0)
    return replace(stored, digest=digest)


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(PIECE_BYTES):
        digest.update(piece)
    return digest.hexdigest()
