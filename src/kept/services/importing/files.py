"""Images and whole pages that come with an imported file."""

import hashlib
import io
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO, Final, Self, cast
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.content.documents.recognise import HEAD_BYTES, recognise
from kept.content.images.format import BadImage, ImageFormat, sniff_image
from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow, StoredCapture, StoredImages
from kept.content.whole_page.mhtml import looks_like_mhtml
from kept.domain.capture import CONTENT_TYPES, CaptureFormat
from kept.domain.document import CONTENT_TYPES as CONTENT_TYPES_OF_DOCUMENTS
from kept.domain.document import EXTENSIONS
from kept.domain.errors import PageUnreadable, TooLarge
from kept.domain.imported import ImportedCopy, ImportedImage, copy_media_id
from kept.domain.importing import Import
from kept.domain.media import image_asset_id
from kept.services.pages.files import PageFiles, store_document_file, store_static_page
from kept.storage import captures
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import capture_key
from kept.storage.database.engine import Database
from kept.storage.images import blob_key_of, screenshot_key
from kept.subprocesses.images import ImagePool
from kept.subprocesses.imports import ImportReader, ImportReaders
from kept.subprocesses.pages import PageReaders

# The captures that the static page can be made of, the best first.
SOURCES: Final = ("mhtml", "upload", "html")
NAMES: Final = {CaptureFormat.MHTML: "page.mhtml", CaptureFormat.PNG: "page.png", CaptureFormat.PDF: "page.pdf"}


@dataclass(frozen=True, slots=True)
class Importer:
    """The dependencies of importing, made once by the wiring."""

    database: Database
    blobs: BlobStore
    settings: Settings
    images: ImagePool
    readers: ImportReaders
    now: Callable[[], datetime] = utc_now

    @classmethod
    def from_settings(cls, settings: Settings, database: Database, blobs: BlobStore, images: ImagePool) -> Self:
        return cls(database, blobs, settings, images, ImportReaders.from_settings(settings))


class _CopyImages:
    def __init__(self, importer: Importer, reader: ImportReader, import_id: UUID, room: int | None) -> None:
        self._importer = importer
        self._blobs, self._pool, self._settings = importer.blobs, importer.images, importer.settings
        self._reader, self._import_id, self._room = reader, import_id, room
        self._stored: dict[str, StoredImages] = {}

    async def store(self, copy: ImportedCopy, url: str) -> StoredImages:
        """Store the images and whole pages of a copy once; the items of one page share them."""
        if copy.key not in self._stored:
            media_id = copy_media_id(self._import_id, copy.key)
            images = await self._store(copy, media_id)
            files = await store_imported_captures(self._importer, self._reader, copy, media_id, url, self._room)
            if self._room is not None:
                self._room -= sum(file.size for file in files)
            self._stored[copy.key] = replace(images, captures=files)
        return self._stored[copy.key]

    async def _store(self, copy: ImportedCopy, media_id: UUID) -> StoredImages:
        images = [await self._store_one(media_id, image) for image in copy.images[: self._settings.limits.image_count]]
        if copy.screenshot is None:
            return StoredImages(tuple(images))
        made = await self._make_safe(copy.screenshot)
        if made is None or made[1] is not ImageFormat.WEBP:
            return StoredImages(tuple(images))
        key = screenshot_key(media_id)
        await self._blobs.put(key, made[0], made[1])
        return StoredImages(tuple(images), key)

    async def _store_one(self, media_id: UUID, image: ImportedImage) -> tuple[UUID, str, str | None, str | None]:
        asset_id, made = image_asset_id(media_id, image.origin_url), await self._make_safe(image)
        if made is None:
            return asset_id, image.origin_url, None, None
        data, kind = made
        key = blob_key_of(media_id, asset_id, hashlib.sha256(data).hexdigest(), kind.extension)
        await self._blobs.put(key, data, kind)
        return asset_id, image.origin_url, key, kind.value

    async def _make_safe(self, image: ImportedImage) -> tuple[bytes, ImageFormat] | None:
        if image.file is None:
            return None
        data = await self._reader.read_entry(image.file, self._settings.limits.image_max_bytes)
        if data is None:
            return None
        made = await self._pool.clean(data)
        return None if isinstance(made, BadImage) else (made.data, made.kind)


async def store_imported_captures(
    importer: Importer, reader: ImportReader, copy: ImportedCopy, media_id: UUID, url: str, room: int | None
) -> tuple[StoredCapture, ...]:
    """Store the whole pages that come with another Kept's file. The static page is made anew, since it is not trusted.

    `room` is how many bytes the person who imports may still keep; a document that is larger comes without its file.
    """
    files = {one.format: one.file for one in copy.captures}
    stored = [
        await _store(importer, media_id, kind, data)
        for kind in NAMES
        if (data := await _read(importer, reader, files, kind)) is not None
    ]
    document = await _store_document(importer, reader, files, media_id, room)
    stored += [document] if document else []
    source = next((files[name] for name in SOURCES if name in files), None)
    data = await reader.read_entry(source, importer.settings.limits.whole_page_max_bytes) if source else None
    static = await _make_static(importer, media_id, data, url) if data else None
    return (*stored, *([static] if static else []))


async def _store_document(
    importer: Importer, reader: ImportReader, files: Mapping[str, str], media_id: UUID, room: int | None
) -> StoredCapture | None:
    """Store the file of a document. Its type is decided by its bytes, or by its name where they do not tell."""
    name = files.get(CaptureFormat.DOCUMENT.value)
    data = await reader.read_entry(name, importer.settings.limits.max_document_bytes) if name else None
    kind = recognise(data[:HEAD_BYTES], _find_content_type(name or ""), name or "") if data is not None else None
    if data is None or kind is None or (room is not None and len(data) > room):
        return None
    content_type = CONTENT_TYPES_OF_DOCUMENTS.get(kind) or str(sniff_image(data))
    made = await store_document_file(importer.blobs, io.BytesIO(data), media_id, content_type)
    return StoredCapture(made.format, made.blob_key, content_type, made.size, made.digest)


def _find_content_type(name: str) -> str | None:
    ending = name.rpartition(".")[2]
    return next((content_type for content_type, extension in EXTENSIONS.items() if extension == ending), None)


async def _read(
    importer: Importer, reader: ImportReader, files: Mapping[str, str], kind: CaptureFormat
) -> bytes | None:
    """Read the file of a whole page or an uploaded MHTML; None if it is missing or not of its format."""
    name = files.get(kind.value) or (files.get("upload") if kind is CaptureFormat.MHTML else None)
    data = await reader.read_entry(name, importer.settings.limits.whole_page_max_bytes) if name else None
    if data is None:
        return None
    match kind:
        case CaptureFormat.MHTML:
            return data if looks_like_mhtml(data) else None
        case CaptureFormat.PDF:
            return data if data.startswith(b"%PDF-") else None
        case _:
            made = await importer.images.clean(data)
            return made.data if not isinstance(made, BadImage) and made.kind is ImageFormat.PNG else None


async def _store(importer: Importer, media_id: UUID, kind: CaptureFormat, data: bytes) -> StoredCapture:
    key = capture_key(media_id, NAMES[kind])
    await importer.blobs.put(key, data, CONTENT_TYPES[kind])
    return StoredCapture(kind, key, CONTENT_TYPES[kind], len(data))


async def _make_static(importer: Importer, media_id: UUID, data: bytes, url: str) -> StoredCapture | None:
    readers = PageReaders.from_settings(importer.settings)
    files = PageFiles(importer.blobs, readers, importer.images)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            async with readers.start(cast("BinaryIO", file)) as page:
                await page.open(url, is_article=False)
                made = await store_static_page(files, page, media_id)
        except (PageUnreadable, TooLarge):
            return None
    return StoredCapture(made.format, made.blob_key, made.content_type, made.size) if made else None


async def store_imported_images(
    importer: Importer, reader: ImportReader, import_: Import, rows: Sequence[PreparedRow]
) -> list[PreparedRow]:
    """Store the images and whole pages that come with another Kept's file; images are made safe like those of a site.

    It is called before their rows are written: a blob that no row names is removed later.
    """
    store = _CopyImages(importer, reader, import_.id, await _find_room(importer, import_))
    return [
        replace(row, images=await store.store(row.copy, str(row.url)))
        if isinstance(row, PreparedLink) and row.copy
        else row
        for row in rows
    ]


async def _find_room(importer: Importer, import_: Import) -> int | None:
    """Return how many more bytes the user may keep; None for no limit."""
    quota = importer.settings.whole_page_quota_bytes
    return quota - await importer.database.read(captures.count_bytes, import_.user_id) if quota else None
