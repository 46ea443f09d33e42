"""Images and whole pages that come with another Kept's file: each image is decoded and made safe like one from a site,
and stored."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from kept.content.images.format import ImageFormat
from kept.content.images.outcomes import BadImage
from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow, StoredImages
from kept.domain.images import image_asset_id
from kept.domain.imported import ImportedCopy, ImportedImage, copy_media_id
from kept.domain.importing import Import
from kept.services.importing.importer import Importer
from kept.services.importing.store_imported_captures import store_imported_captures
from kept.storage import captures
from kept.storage.images import blob_key_of, screenshot_key
from kept.subprocesses.import_reader import ImportReader


async def store_imported_images(
    importer: Importer, reader: ImportReader, found: Import, rows: Sequence[PreparedRow]
) -> list[PreparedRow]:
    """Before their rows are written: a blob that no row comes to name is swept up later."""
    store = _CopyImages(importer, reader, found.id, await _find_room(importer, found))
    return [
        replace(row, images=await store.store(row.copy, str(row.url)))
        if isinstance(row, PreparedLink) and row.copy
        else row
        for row in rows
    ]


async def _find_room(importer: Importer, found: Import) -> int | None:
    """Bytes that may still be kept; None for no limit."""
    quota = importer.settings.whole_page_quota_bytes
    return quota - await importer.database.read(captures.count_bytes, found.user_id) if quota else None


class _CopyImages:
    def __init__(self, importer: Importer, reader: ImportReader, import_id: UUID, room: int | None) -> None:
        self._importer = importer
        self._blobs, self._pool, self._settings = importer.blobs, importer.images, importer.settings
        self._reader, self._import_id, self._room = reader, import_id, room
        self._stored: dict[str, StoredImages] = {}

    async def store(self, copy: ImportedCopy, url: str) -> StoredImages:
        """Items of one page share them."""
        if copy.key not in self._stored:
            media_id = copy_media_id(self._import_id, copy.key)
            images = await self._store(copy, media_id)
            files = await store_imported_captures(self._importer, self._reader, copy, media_id, url, self._room)
            if self._room is not None:
                self._room -= sum(file.size for file in files)
            self._stored[copy.key] = replace(images, captures=files)
        return self._stored[copy.key]

    async def _store(self, copy: ImportedCopy, media_id: UUID) -> StoredImages:
        images = [await self._store_one(media_id, image) for image in copy.images[: self._settings.image_count]]
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
        data = await self._reader.read_entry(image.file, self._settings.image_max_bytes)
        if data is None:
            return None
        made = await self._pool.clean(data)
        return None if isinstance(made, BadImage) else (made.data, made.kind)
