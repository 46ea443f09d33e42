"""Ids of a page's images."""

from uuid import UUID, uuid5


def image_asset_id(media_id: UUID, url: str) -> UUID:
    """The same page and image URL always give the same id."""
    return uuid5(media_id, url)
