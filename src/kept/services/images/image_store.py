"""The image store: a page's image from the blob store, or fetched, made safe and stored: once, however many ask at
the same time."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.content.images.outcomes import BadImage, CleanImage
from kept.domain.images import IN_FILE
from kept.fetch.gate import Gate
from kept.fetch.limits import image_limits
from kept.fetch.outcome import Fetched, FetchFailed
from kept.logs import structlog
from kept.observability import IMAGES
from kept.storage import images
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.storage.images import ImageAsset
from kept.subprocesses.image_pool import ImagePool
from kept.urls.url import NormalisedUrl, parse_url

log = structlog.get_logger("kept.images")

# A page with a dead image is opened again and again; its site is asked again only after this long.
REMEMBER_REFUSAL_SECONDS: Final = 300.0
MAX_REFUSALS: Final = 10_000


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image as it is served, and the key under which it is stored, which tells its content apart."""

    data: bytes
    content_type: str
    key: str


@dataclass(frozen=True, slots=True)
class ImageRefused:
    """No image, and why, for people."""

    message: str
    is_transient: bool = False
    """It may be there another time."""


UNSHOWABLE: Final = {
    BadImage.NOT_AN_IMAGE: "This is not an image.",
    BadImage.TOO_MANY_PIXELS: "This image is too large.",
    BadImage.BROKEN: "This image is broken.",
}


class ImageStore:
    """One per process: who asks for an image that is being fetched waits for that fetch."""

    def __init__(self, database: Database, blobs: BlobStore, gate: Gate, pool: ImagePool, settings: Settings) -> None:
        self.database = database
        self.blobs = blobs
        self.pool = pool
        self.settings = settings
        self.now = utc_now
        self._gate = gate
        self._in_flight: dict[UUID, asyncio.Task[StoredImage | ImageRefused]] = {}
        self._refused: OrderedDict[UUID, tuple[float, ImageRefused]] = OrderedDict()

    async def obtain(self, asset: ImageAsset, *, user_key: str | None = None) -> StoredImage | ImageRefused:
        """For an asset whose viewer the caller has checked."""
        stored = await self.find_stored(asset)
        if stored is not None:
            return stored
        refused = self._recall_refusal(asset.id)
        if refused is not None:
            return refused
        task = self._in_flight.get(asset.id)
        if task is None:
            task = asyncio.create_task(self._fetch(asset, user_key), name=f"image {asset.id}")
            self._in_flight[asset.id] = task
            task.add_done_callback(lambda _: self._in_flight.pop(asset.id, None))
        return await asyncio.shield(task)

    async def drain(self) -> None:
        for task in list(self._in_flight.values()):
            task.cancel()
        await asyncio.gather(*self._in_flight.values(), return_exceptions=True)

    async def find_stored(self, asset: ImageAsset) -> StoredImage | None:
        """Without asking its site. For an asset whose viewer the caller has checked."""
        if asset.blob_key is None or asset.content_type is None:
            return None
        data = await self.blobs.get(asset.blob_key)
        return StoredImage(data, asset.content_type, asset.blob_key) if data is not None else None

    async def _fetch(self, asset: ImageAsset, user_key: str | None) -> StoredImage | ImageRefused:
        await self.blobs.require()
        made = await self._fetch_clean(asset, user_key)
        if isinstance(made, ImageRefused):
            self._remember_refusal(asset.id, made)
            return made
        key = images.image_key(asset, hashlib.sha256(made.data).hexdigest(), made.kind.extension)
        await self.blobs.put(key, made.data, made.kind)
        if not await self.database.write(
            images.record_blob, asset.id, key, made.kind
        ):  # its media went while we fetched
            await self.blobs.delete(key)
        IMAGES.labels("kept").inc()
        return StoredImage(made.data, made.kind.value, key)

    async def _fetch_clean(self, asset: ImageAsset, user_key: str | None) -> CleanImage | ImageRefused:
        url, page = parse_url(asset.origin_url), parse_url(asset.page_url)
        is_in_file = asset.origin_url.startswith(IN_FILE)
        if is_in_file or not isinstance(url, NormalisedUrl) or not isinstance(page, NormalisedUrl):
            return ImageRefused("This image has no web URL.")
        match await self._gate.fetch(url, image_limits(self.settings), user_key=user_key, page=page):
            case FetchFailed() as failed:
                IMAGES.labels(failed.reason).inc()
                return ImageRefused(failed.message, failed.transient)
            case Fetched() as fetched:
                made = await self.pool.clean(fetched.body)
        if isinstance(made, BadImage):
            IMAGES.labels(made).inc()
            log.info("images.refused", media_id=str(asset.media_id), host=url.host, reason=made.value)
            return ImageRefused(UNSHOWABLE[made])
        return made

    def _recall_refusal(self, asset_id: UUID) -> ImageRefused | None:
        until, refused = self._refused.get(asset_id, (0.0, None))
        return refused if time.monotonic() < until else None

    def _remember_refusal(self, asset_id: UUID, refused: ImageRefused) -> None:
        self._refused[asset_id] = (time.monotonic() + REMEMBER_REFUSAL_SECONDS, refused)
        self._refused.move_to_end(asset_id)
        while len(self._refused) > MAX_REFUSALS:
            self._refused.popitem(last=False)
