"""Ids of a page's images."""

from typing import Final
from uuid import UUID, uuid5

# Where the URLs begin that stand for images which came inside a file: a name that nobody can have (RFC 2606).
IN_FILE: Final = "https://in-file.invalid/"


def image_asset_id(media_id: UUID, url: str) -> UUID:
    """The same page and image URL always give the same id."""
    return uuid5(media_id, url)
