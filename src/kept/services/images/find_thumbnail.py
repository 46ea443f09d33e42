"""Find where a card's image may come from: the page's own preview in card size, else the screenshot a browser took."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.images import image_asset_id
from kept.storage import images, items
from kept.storage.database.engine import Connection
from kept.storage.images import ImageAsset


@dataclass(frozen=True, slots=True)
class CardImage:
    """Where a card's image may come from, best first: the preview, then the screenshot."""

    preview: ImageAsset | None
    screenshot_key: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the images ready made, as they are spelt in the blob store."""
        preview = images.thumbnail_key(self.preview) if self.preview else None
        return tuple(key for key in (preview, self.screenshot_key) if key)


def find_thumbnail(tx: Connection, viewer: Viewer, item_id: UUID) -> CardImage:
    card = items.find_card(tx, item_id, viewer.user_id)
    if card is None or not card.media.has_image:
        raise NotFound
    url = card.media.preview_image_url if card.media.preview_error is None else None
    preview = images.find_asset(tx, image_asset_id(card.media.id, url)) if url else None
    return CardImage(preview, card.media.thumbnail_key)
