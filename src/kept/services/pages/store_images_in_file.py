"""Images that came inside the file of a page: each is decoded and made safe like one from a site, and stored."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from kept.config import Settings
from kept.content.images.outcomes import BadImage
from kept.services.pages.page_files import PageFiles
from kept.storage.images import blob_key_of


class ImageSource(Protocol):
    """Whoever reads the file."""

    async def read_image(self, url: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class StoredFileImage:
    asset_id: UUID
    blob_key: str
    content_type: str
    size: int


async def store_images_in_file(
    files: PageFiles, reader: ImageSource, media_id: UUID, wanted: Iterable[tuple[UUID, str]], settings: Settings
) -> tuple[StoredFileImage, ...]:
    """Those of them that the file holds, each with its id and URL. Before their rows are written: a blob that no row
    comes to name is swept up later."""
    stored: list[StoredFileImage] = []
    for asset_id, url in dict(wanted).items():
        if len(stored) >= settings.image_count or sum(one.size for one in stored) >= settings.image_total_bytes:
            break
        data = await reader.read_image(url)
        if data is None or len(data) > settings.image_max_bytes:
            continue
        made = await files.images.clean(data)
        if isinstance(made, BadImage):
            continue
        key = blob_key_of(media_id, asset_id, hashlib.sha256(made.data).hexdigest(), made.kind.extension)
        await files.blobs.put(key, made.data, made.kind)
        stored.append(StoredFileImage(asset_id, key, made.kind.value, len(made.data)))
    return tuple(stored)
