"""One of a page's pictures, for whoever may see the page."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound, OriginFailed
from kept.services.images.image_store import ImageKeeper, ImageRefused, KeptImage
from kept.storage import images
from kept.storage.images import ImageAsset


async def find_image(keeper: ImageKeeper, viewer: Viewer, image_id: UUID) -> ImageAsset:
    async with keeper.database.read() as tx:
        asset = await images.find_visible_asset(tx, image_id, viewer.user_id)
    if asset is None:
        raise NotFound
    return asset


async def serve_image(keeper: ImageKeeper, viewer: Viewer, asset: ImageAsset) -> KeptImage:
    """From the blob store; the first view fetches it."""
    match await keeper.obtain(asset, user_key=str(viewer.user_id)):
        case ImageRefused(message):
            raise OriginFailed(message)
        case KeptImage() as kept:
            return kept
