"""The picture a card shows: the page's own preview in card size, else the screenshot a browser took."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.images.format import ImageFormat
from kept.content.images.thumbnail import BadImage
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.images import image_asset_id
from kept.domain.media import Media
from kept.services.images.image_store import ImageKeeper, ImageRefused, KeptImage
from kept.storage import images, items
from kept.storage.images import ImageAsset


@dataclass(frozen=True, slots=True)
class CardPicture:
    """Where a card's picture may come from, best first: the preview, then the screenshot."""

    preview: ImageAsset | None
    screenshot_key: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the pictures ready made, as they are spelt in the blob store."""
        preview = images.thumbnail_key(self.preview) if self.preview else None
        return tuple(key for key in (preview, self.screenshot_key) if key)


async def find_thumbnail(keeper: ImageKeeper, viewer: Viewer, item_id: UUID) -> CardPicture:
    async with keeper.database.read() as tx:
        card = await items.find_card(tx, item_id, viewer.user_id)
        if card is None or not card.media.has_picture:
            raise NotFound
        preview_id = preview_of(card.media)
        preview = await images.find_asset(tx, preview_id) if preview_id else None
    return CardPicture(preview, card.media.thumbnail_key)


def preview_of(media: Media) -> UUID | None:
    return image_asset_id(media.id, media.preview_image_url) if media.preview_image_url else None


async def serve_thumbnail(keeper: ImageKeeper, viewer: Viewer, found: CardPicture) -> KeptImage:
    """Made on the first view and kept; a preview that cannot be had leaves the screenshot, if there is one."""
    for key in found.keys:
        data = await keeper.blobs.get(key)
        if data is None and found.preview is not None and key == images.thumbnail_key(found.preview):
            data = await make_card_picture(keeper, viewer, found.preview, key)
        if data is not None:
            return KeptImage(data, ImageFormat.WEBP, key)
    raise NotFound


async def make_card_picture(keeper: ImageKeeper, viewer: Viewer, preview: ImageAsset, key: str) -> bytes | None:
    original = await keeper.obtain(preview, user_key=str(viewer.user_id))
    if isinstance(original, ImageRefused):
        return None
    made = await keeper.pictures.shrink(original.data)
    if isinstance(made, BadImage):
        return None
    await keeper.blobs.put(key, made.data, made.kind)
    return made.data
