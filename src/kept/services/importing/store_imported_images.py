"""Pictures that come with another Kept's file: each is decoded and made safe like one from a site, and kept."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from kept.config import Settings
from kept.content.images.format import ImageFormat
from kept.content.images.thumbnail import BadImage
from kept.domain.imported import ImportedCopy, ImportedImage
from kept.services.importing.import_batch import copy_media_id
from kept.services.importing.prepare_rows import KeptPictures, PreparedLink, PreparedRow
from kept.storage.blobs.store import BlobStore
from kept.storage.images import blob_key_of, picture_id, screenshot_key
from kept.subprocesses.image_pool import ImagePool


async def keep_pictures(
    blobs: BlobStore, pictures: ImagePool, settings: Settings, import_id: UUID, rows: Sequence[PreparedRow]
) -> list[PreparedRow]:
    """Before their rows are written: a blob that no row comes to name is swept up later."""
    keeper = CopyKeeper(blobs, pictures, settings, import_id)
    return [
        replace(row, pictures=await keeper.keep(row.copy)) if isinstance(row, PreparedLink) and row.copy else row
        for row in rows
    ]


class CopyKeeper:
    def __init__(self, blobs: BlobStore, pictures: ImagePool, settings: Settings, import_id: UUID) -> None:
        self._blobs, self._pictures, self._settings, self._import_id = blobs, pictures, settings, import_id
        self._kept: dict[str, KeptPictures] = {}

    async def keep(self, copy: ImportedCopy) -> KeptPictures:
        """Items of one page share them."""
        if copy.key not in self._kept:
            self._kept[copy.key] = await self._keep(copy, copy_media_id(self._import_id, copy.key))
        return self._kept[copy.key]

    async def _keep(self, copy: ImportedCopy, media_id: UUID) -> KeptPictures:
        images = [await self._keep_one(media_id, image) for image in copy.images[: self._settings.image_count]]
        if copy.screenshot is None:
            return KeptPictures(tuple(images))
        made = await self._make_safe(copy.screenshot)
        if made is None or made[1] is not ImageFormat.WEBP:
            return KeptPictures(tuple(images))
        key = screenshot_key(media_id)
        await self._blobs.put(key, made[0], made[1])
        return KeptPictures(tuple(images), key)

    async def _keep_one(self, media_id: UUID, image: ImportedImage) -> tuple[UUID, str, str | None, str | None]:
        asset_id, made = picture_id(media_id, image.origin_url), await self._make_safe(image)
        if made is None:
            return asset_id, image.origin_url, None, None
        data, kind = made
        key = blob_key_of(media_id, asset_id, hashlib.sha256(data).hexdigest(), kind.extension)
        await self._blobs.put(key, data, kind)
        return asset_id, image.origin_url, key, kind.value

    async def _make_safe(self, image: ImportedImage) -> tuple[bytes, ImageFormat] | None:
        data = await asyncio.to_thread(image.read)
        if data is None or len(data) > self._settings.image_max_bytes:
            return None
        made = await self._pictures.clean(data)
        return None if isinstance(made, BadImage) else (made.data, made.kind)
