"""The image store and the job `store_images`: a page's images are fetched once, made safe and stored."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.config import Settings
from kept.content.images.format import BadImage, CleanImage
from kept.domain.attempt import AttemptRecord
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind, NewJob, Priority
from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.media import IN_FILE, Media, wants_screenshot
from kept.fetch.gate import Gate
from kept.fetch.limits import image_limits
from kept.fetch.outcome import Fetched, FetchFailed
from kept.metrics import IMAGES
from kept.services.pages.states import settle_card
from kept.storage import articles, events, images, lifecycles
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from kept.storage.images import ImageAsset
from kept.storage.media import find_media, update_media
from kept.storage.queue import queue
from kept.subprocesses.images import ImagePool
from kept.urls.url import NormalisedUrl, get_url, parse_url

log = structlog.get_logger("kept.images")
# A page with a dead image is opened again and again; its site is asked again only after this long.
REMEMBER_REFUSAL_SECONDS: Final = 300.0
MAX_REFUSALS: Final = 10_000
UNSHOWABLE: Final = {
    BadImage.NOT_AN_IMAGE: "This is not an image.",
    BadImage.TOO_MANY_PIXELS: "This image is too large.",
    BadImage.BROKEN: "This image is broken.",
}
AT_ONCE: Final = 4
# A share of the job's time; a fetch that has begun may take its own time beyond that.
SHARE_OF_JOB: Final = 0.6


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image as it is served, and the key under which it is stored, which tells its content apart."""

    data: bytes
    content_type: str
    key: str


@dataclass(frozen=True, slots=True)
class ImageRefused:
    """The reason, in words for people, why there is no image."""

    message: str
    is_transient: bool = False
    """Whether the image may be available another time."""


class ImageStore:
    """Returns a page's image from the blob store, or fetches it, makes it safe and stores it: once for all who ask.

    There is one for each process: whoever asks for an image that is being fetched waits for that fetch.
    """

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
        """Return an image, which is fetched if it is not stored. The caller has checked that the viewer may see it."""
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
        """Return an image if it is stored; its site is not asked. The caller has checked the viewer's access."""
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
                return ImageRefused(failed.message, failed.is_transient)
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


@dataclass(slots=True)
class _Progress:
    """How far one run came. `bytes` includes those of earlier runs, because a page has one allowance."""

    stored: int = 0
    refused: dict[UUID, ImageRefused] = field(default_factory=dict)
    bytes: int = 0
    left: list[ImageAsset] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _PageImages:
    assets: list[ImageAsset]
    preview: ImageAsset | None
    """The image that the card shows."""


async def store_images(store: ImageStore, job: ClaimedJob) -> None:
    """Run the `store_images` job: fetch and store a page's images, so that they outlast the site."""
    page = await store.database.read(_list_in_order, job.subject_id)
    progress = await _store_page(store, page.assets)
    is_busy = await _judge_preview(store, job, page.preview, progress)
    if (progress.left or is_busy) and job.attempt < store.settings.max_attempts:
        again_at = store.now() + timedelta(seconds=REMEMBER_REFUSAL_SECONDS if is_busy else 0)
        await store.database.write(queue.retry_later, job, again_at)
    else:
        await store.database.write(queue.finish, job)
    log.info(
        "images.stored",
        media_id=str(job.subject_id),
        kept=progress.stored,
        refused=len(progress.refused),
        left=len(progress.left),
        bytes=progress.bytes,
    )


async def _judge_preview(store: ImageStore, job: ClaimedJob, preview: ImageAsset | None, progress: _Progress) -> bool:
    """Return whether the card's image may still be fetched later; if not, a screenshot takes its place."""
    refused = progress.refused.get(preview.id) if preview is not None else None
    if preview is None or refused is None:
        return False
    if refused.is_transient and job.attempt < store.settings.max_attempts:
        return True
    await store.database.write(
        fall_back_to_screenshot,
        preview,
        refused.message,
        can_render=store.settings.render != "never",
        priority=Priority(job.priority),
        now=store.now(),
    )
    return False


async def _store_page(store: ImageStore, assets: list[ImageAsset]) -> _Progress:
    """Store images as time allows; another run stores the rest, but never those beyond the page's allowance."""
    settings, progress = store.settings, _Progress()
    stop_at = time.monotonic() + settings.limits.job_seconds * SHARE_OF_JOB
    waiting = assets[: settings.limits.image_count]

    async def work() -> None:
        while waiting and progress.bytes < settings.image_total_bytes:
            if time.monotonic() > stop_at:
                return
            await _store_one(store, waiting.pop(0), progress)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    if progress.bytes < settings.image_total_bytes:
        progress.left = waiting
    return progress


async def _store_one(store: ImageStore, asset: ImageAsset, progress: _Progress) -> None:
    made = await store.obtain(asset)
    if isinstance(made, StoredImage):
        progress.stored += 1
        progress.bytes += len(made.data)
    else:
        progress.refused[asset.id] = made


def _list_in_order(tx: Connection, media_id: UUID) -> _PageImages:
    """Return the preview first, then the article's images in order: the last are missed least if there are too many."""
    media = find_media(tx, media_id)
    if media is None:
        return _PageImages([], None)
    fragment = articles.find_fragment(tx, media_id)
    html = fragment.html_sanitized if fragment else ""

    def place(asset: ImageAsset) -> int:
        return -1 if asset.origin_url == media.preview_image_url else html.find(str(asset.id)) % (len(html) + 1)

    assets = sorted(images.list_assets(tx, media_id), key=place)
    preview = next((asset for asset in assets if asset.origin_url == media.preview_image_url), None)
    return _PageImages(assets, preview if media.preview_error is None else None)


async def abandon_images(store: ImageStore, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """End the job when its attempts are used up; the other images are fetched when first looked at."""
    await store.database.write(queue.finish, job)
    log.warning("images.given_up", media_id=str(job.subject_id), code=code, reason=message)


def fall_back_to_screenshot(
    tx: Connection, preview: ImageAsset, why: str, *, can_render: bool, priority: Priority, now: datetime
) -> None:
    """Let a screenshot replace a preview image that cannot be stored, or leave the card without an image.

    Nothing happens if the page names another image by now.
    """
    found = find_media(tx, preview.media_id, lock=True)
    if found is None or found.preview_image_url != preview.origin_url or found.preview_error is not None:
        return
    update_media(tx, found.id, now, preview_error=why)
    found = replace(found, preview_error=why)
    if found.has_image:
        return
    record = AttemptRecord(message=why)
    state = lifecycles.apply_move(tx, found.state, EnrichmentStatus.PENDING, at=now, record=record)
    if wants_screenshot(found, can_render=can_render):
        _queue_screenshot(tx, found, priority, now)
    else:
        settle_card(tx, found, state, error=why, now=now)
    events.publish_event(tx, found.id, "card", now)


def _queue_screenshot(tx: Connection, media: Media, priority: Priority, now: datetime) -> None:
    host = get_url(media.canonical_url or media.source_url).host
    queue.enqueue(tx, NewJob(JobKind.RENDER, media.id, host, priority, now, None, None), now=now)
