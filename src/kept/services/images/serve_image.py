"""Serve an image from the blob store; the first view fetches it."""

from kept.domain.account import Viewer
from kept.domain.errors import OriginFailed
from kept.services.images.image_store import ImageRefused, ImageStore, StoredImage
from kept.storage.images import ImageAsset


async def serve_image(store: ImageStore, viewer: Viewer, asset: ImageAsset) -> StoredImage:
    """For an asset whose viewer the caller has checked."""
    match await store.obtain(asset, user_key=str(viewer.user_id)):
        case ImageRefused(message):
            raise OriginFailed(message)
        case StoredImage() as stored:
            return stored
