"""Find one of a page's images, for whoever may see the page."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.storage import images
from kept.storage.database.engine import Database
from kept.storage.images import ImageAsset


async def find_image(database: Database, viewer: Viewer, image_id: UUID) -> ImageAsset:
    asset = await database.read(images.find_visible_asset, image_id, viewer.user_id)
    if asset is None:
        raise NotFound
    return asset
