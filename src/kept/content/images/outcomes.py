"""What comes of bytes that claim to be an image. Without Pillow, which only the processes that decode need."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kept.content.images.format import ImageFormat

# 40 million pixels are 160 MB decoded; the largest phone photographs have 50 million but are not previews.
MAX_PIXELS: Final = 40_000_000


@dataclass(frozen=True, slots=True)
class CleanImage:
    """An image that is safe to serve under its own type."""

    data: bytes
    kind: ImageFormat


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """An image made by us, safe to serve as it is."""

    data: bytes
    width: int
    height: int
    content_type: str = "image/webp"


class BadImage(StrEnum):
    """Why no image could be made."""

    NOT_AN_IMAGE = "not_an_image"
    TOO_MANY_PIXELS = "too_many_pixels"
    BROKEN = "broken"
