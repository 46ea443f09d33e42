"""The `store_images` job: a page's images are fetched and stored, so that they are there when the site is gone."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from kept.domain.job import ClaimedJob, Priority
from kept.logs import structlog
from kept.services.images.fall_back_to_screenshot import fall_back_to_screenshot
from kept.services.images.image_store import REMEMBER_REFUSAL_SECONDS, ImageRefused, ImageStore, StoredImage
from kept.storage import articles, images, media
from kept.storage.database.engine import Connection
from kept.storage.images import ImageAsset
from kept.storage.jobs import queue

log = structlog.get_logger("kept.images")

AT_ONCE: Final = 4
# Of the job's time; a fetch that has begun may take its own time beyond that.
SHARE_OF_JOB: Final = 0.6


@dataclass(slots=True)
class _Progress:
    """How far one run came. Bytes count those of earlier runs too: a page has one allowance."""

    stored: int = 0
    refused: dict[UUID, ImageRefused] = field(default_factory=dict)
    bytes: int = 0
    left: list[ImageAsset] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _PageImages:
    assets: list[ImageAsset]
    preview: ImageAsset | None
    """The one the card shows."""


async def store_images(store: ImageStore, job: ClaimedJob) -> None:
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
    """Whether the card's image may yet be had; if it cannot, a screenshot takes its place."""
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
    """What does not fit into the time is left for another run; what does not fit into the allowance, for good."""
    settings, progress = store.settings, _Progress()
    stop_at = time.monotonic() + settings.job_seconds * SHARE_OF_JOB
    waiting = assets[: settings.image_count]

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
    """The preview first, then as they stand in the article: of too many, a reader misses the last ones least."""
    found = media.find_media(tx, media_id)
    if found is None:
        return _PageImages([], None)
    fragment = articles.find_fragment(tx, media_id)
    html = fragment.html_sanitized if fragment else ""

    def place(asset: ImageAsset) -> int:
        return -1 if asset.origin_url == found.preview_image_url else html.find(str(asset.id)) % (len(html) + 1)

    assets = sorted(images.list_assets(tx, media_id), key=place)
    preview = next((asset for asset in assets if asset.origin_url == found.preview_image_url), None)
    return _PageImages(assets, preview if found.preview_error is None else None)
