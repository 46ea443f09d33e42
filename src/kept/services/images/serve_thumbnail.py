"""Serve a card's image: made on the first view and stored."""

from kept.content.images.format import ImageFormat
from kept.content.images.outcomes import BadImage
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.job import Priority
from kept.services.images.fall_back_to_screenshot import fall_back_to_screenshot
from kept.services.images.find_thumbnail import CardImage
from kept.services.images.image_store import UNSHOWABLE, ImageRefused, ImageStore, StoredImage
from kept.storage import images
from kept.storage.images import ImageAsset


async def serve_thumbnail(store: ImageStore, viewer: Viewer, found: CardImage) -> StoredImage:
    """A preview that cannot be had leaves the screenshot, if there is one."""
    for key in found.keys:
        data = await store.blobs.get(key)
        if data is None and found.preview is not None and key == images.thumbnail_key(found.preview):
            data = await _make_thumbnail(store, viewer, found.preview, key)
        if data is not None:
            return StoredImage(data, ImageFormat.WEBP, key)
    raise NotFound


async def _make_thumbnail(store: ImageStore, viewer: Viewer, preview: ImageAsset, key: str) -> bytes | None:
    original = await store.obtain(preview, user_key=str(viewer.user_id))
    if isinstance(original, ImageRefused):
        if not original.is_transient:
            await _give_up(store, preview, original.message)
        return None
    made = await store.pool.shrink(original.data)
    if isinstance(made, BadImage):
        await _give_up(store, preview, UNSHOWABLE[made])
        return None
    await store.blobs.put(key, made.data, made.kind)
    return made.data


async def _give_up(store: ImageStore, preview: ImageAsset, why: str) -> None:
    can_render = store.settings.render != "never"
    await store.database.write(
        fall_back_to_screenshot, preview, why, can_render=can_render, priority=Priority.PERSON, now=store.now()
    )
