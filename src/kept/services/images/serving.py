"""Images and thumbnails for those who may see the page, and the links that carry their own permission."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.images.format import BadImage, ImageFormat
from kept.domain.account import Scope, Viewer
from kept.domain.errors import NotFound, OriginFailed
from kept.domain.job import Priority
from kept.domain.media import ImageKind, ImageLinks, image_asset_id, is_signed
from kept.services.accounts.secrets import new_secret
from kept.services.images.store import UNSHOWABLE, ImageRefused, ImageStore, StoredImage, fall_back_to_screenshot
from kept.storage import images, items
from kept.storage.database.engine import Connection, Database
from kept.storage.images import ImageAsset


@dataclass(frozen=True, slots=True)
class CardImage:
    """The sources of a card's image, best first: the preview, then the screenshot."""

    preview: ImageAsset | None
    screenshot_key: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys under which the finished images are in the blob store."""
        preview = images.thumbnail_key(self.preview) if self.preview else None
        return tuple(key for key in (preview, self.screenshot_key) if key)


def find_image(tx: Connection, viewer: Viewer, image_id: UUID) -> ImageAsset:
    """Find one of a page's images, for whoever may see the page."""
    asset = images.find_visible_asset(tx, image_id, viewer.user_id)
    if asset is None:
        raise NotFound
    return asset


def find_thumbnail(tx: Connection, viewer: Viewer, item_id: UUID) -> CardImage:
    """Find the sources of a card's image: the page's own preview in card size, and the screenshot a browser took."""
    card = items.find_card(tx, item_id, viewer.user_id)
    if card is None or not card.media.has_image:
        raise NotFound
    url = card.media.preview_image_url if card.media.preview_error is None else None
    preview = images.find_asset(tx, image_asset_id(card.media.id, url)) if url else None
    return CardImage(preview, card.media.thumbnail_key)


def follow_image_link(tx: Connection, user_id: UUID, kind: ImageKind, subject_id: UUID, signature: str) -> Viewer:
    """Find the person for whom an image link was made, as a viewer who may read.

    NotFound is raised for a link that was not made by Kept.
    """
    found = images.find_user_and_key(tx, user_id)
    if found is None or not is_signed(found[1], kind, subject_id, signature):
        raise NotFound
    return Viewer(found[0], frozenset({Scope.READ}))


async def prepare_image_links(database: Database, viewer: Viewer, base_url: str) -> ImageLinks:
    """Return what a person's image links are made with; their key is made the first time."""
    key = await database.read(images.find_key, viewer.user_id)
    if key is None:
        key = await database.write(images.put_key, viewer.user_id, new_secret())
    return ImageLinks(base_url, viewer.user_id, key)


async def serve_image(store: ImageStore, viewer: Viewer, asset: ImageAsset) -> StoredImage:
    """Serve an image from the blob store; the first view fetches it. The caller has checked who may see it."""
    match await store.obtain(asset, user_key=str(viewer.user_id)):
        case ImageRefused(message):
            raise OriginFailed(message)
        case StoredImage() as stored:
            return stored


async def serve_thumbnail(store: ImageStore, viewer: Viewer, image: CardImage) -> StoredImage:
    """Serve a card's image, which is made on the first view and stored.

    Where the preview cannot be had, the screenshot is served, if there is one.
    """
    for key in image.keys:
        data = await store.blobs.get(key)
        if data is None and image.preview is not None and key == images.thumbnail_key(image.preview):
            data = await _make_thumbnail(store, viewer, image.preview, key)
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
