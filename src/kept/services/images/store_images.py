"""The `store_images` job: a page's pictures are fetched and kept, so that they are there when the site is gone."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.domain.failures import FailureCode
from kept.storage.jobs import queue
from kept.storage.jobs.queue import ClaimedJob
from kept.services.images.image_store import ImageKeeper, KeptImage
from kept.storage import articles, images, media
from kept.storage.images import ImageAsset

log = structlog.get_logger("kept.images")

AT_ONCE: Final = 4
# Of the job's time; a fetch that has begun may take its own time beyond that.
SHARE_OF_JOB: Final = 0.6


@dataclass(slots=True)
class Stored:
    """How far one run came. Bytes count those of earlier runs too: a page has one allowance."""

    kept: int = 0
    refused: int = 0
    bytes: int = 0
    left: list[ImageAsset] = field(default_factory=list)


async def store_images(keeper: ImageKeeper, job: ClaimedJob) -> None:
    stored = await store_page(keeper, job.subject_id)
    again = bool(stored.left) and job.attempt < keeper.settings.max_attempts
    async with keeper.database.write() as tx:
        if again:
            await queue.retry_later(tx, job, utc_now())
        else:
            await queue.finish(tx, job)
    log.info(
        "images.stored",
        media_id=str(job.subject_id),
        kept=stored.kept,
        refused=stored.refused,
        left=len(stored.left),
        bytes=stored.bytes,
    )


async def abandon_images(keeper: ImageKeeper, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """For the executor: the article stands without them, and each is fetched when it is first looked at."""
    async with keeper.database.write() as tx:
        await queue.finish(tx, job)
    log.warning("images.given_up", media_id=str(job.subject_id), code=code, reason=message)


async def store_page(keeper: ImageKeeper, media_id: UUID) -> Stored:
    """What does not fit into the time is left for another run; what does not fit into the allowance, for good."""
    settings, stored = keeper.settings, Stored()
    stop_at = time.monotonic() + settings.job_seconds * SHARE_OF_JOB
    waiting = (await list_in_order(keeper, media_id))[: settings.image_count]

    async def work() -> None:
        while waiting and stored.bytes < settings.image_total_bytes:
            if time.monotonic() > stop_at:
                return
            await store_one(keeper, waiting.pop(0), stored)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    if stored.bytes < settings.image_total_bytes:
        stored.left = waiting
    return stored


async def store_one(keeper: ImageKeeper, asset: ImageAsset, stored: Stored) -> None:
    made = await keeper.obtain(asset)
    if isinstance(made, KeptImage):
        stored.kept += 1
        stored.bytes += len(made.data)
    else:
        stored.refused += 1


async def list_in_order(keeper: ImageKeeper, media_id: UUID) -> list[ImageAsset]:
    """The preview first, then as they stand in the article: of too many, a reader misses the last ones least."""
    async with keeper.database.read() as tx:
        found = await media.find_media(tx, media_id)
        fragment = await articles.find_fragment(tx, media_id)
        assets = await images.list_assets(tx, media_id)
    if found is None:
        return []
    html = fragment.html_sanitized if fragment else ""

    def place(asset: ImageAsset) -> int:
        return -1 if asset.origin_url == found.preview_image_url else html.find(str(asset.id)) % (len(html) + 1)

    return sorted(assets, key=place)
