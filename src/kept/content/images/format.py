"""What kind of image bytes are, judged by the bytes alone, and whether they hold an image and nothing else.

A container can carry more than its image: comments, other files behind its end, text that another program reads as a
script. `is_plain` walks the container; what has any of that is drawn anew before it is kept. Pure, and no pixel is
decoded here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ImageFormat(StrEnum):
    """The format of an image, by media type. ICO is read, for favicons, and never served."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    GIF = "image/gif"
    WEBP = "image/webp"
    AVIF = "image/avif"
    ICO = "image/x-icon"

    @property
    def extension(self) -> str:
        return "jpg" if self is ImageFormat.JPEG else self.name.lower()


# The formats we serve; each is one that every browser shows and none runs.
SERVED: Final = frozenset(ImageFormat) - {ImageFormat.ICO}
PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})
# --- PNG: signature, then chunks of length, name, content, checksum; IEND ends it ----------------------------------
_PNG_CHUNKS: Final = frozenset(b"IHDR PLTE IDAT tRNS gAMA cHRM sRGB iCCP sBIT pHYs bKGD cICP acTL fcTL fdAT".split())
# --- JPEG: segments of marker and length; after SOS comes data, in which FF 00 and FF D0–D7 are no markers ----------
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
# tables, frames, and the application segments that say how colours are meant (JFIF, ICC, Adobe)
_JPEG_SEGMENTS: Final = frozenset({*range(0xC0, 0xD0), 0xDB, 0xDD, 0xE0, 0xE2, 0xEE})
_NEXT_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
# --- GIF: header, colours, then blocks; an extension or an image is followed by sub-blocks up to an empty one ------
_GRAPHIC_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOPS: Final = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
# --- WebP: RIFF chunks; AVIF: boxes ---------------------------------------------------------------------------------
_WEBP_CHUNKS: Final = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_AVIF_BOXES: Final = frozenset({b"ftyp", b"meta", b"mdat", b"moov"})
# Items that are no image (EXIF, XMP and other files in `mdat`), and what a sequence says of itself: such an image is
# drawn anew. Found as bytes anywhere in the box, so that one too many is drawn anew, never one too few.
_AVIF_METADATA: Final = {b"meta": (b"Exif", b"mime", b"uri "), b"moov": (b"meta", b"udta")}


def _is_plain_avif(data: bytes) -> bool:
    place = 0
    while place + 8 <= len(data):
        size = int.from_bytes(data[place : place + 4])
        name, box = data[place + 4 : place + 8], data[place + 8 : place + size]
        if name not in _AVIF_BOXES or size < 8 or any(item in box for item in _AVIF_METADATA.get(name, ())):
            return False
        place += size
    return place == len(data)


def _is_plain_gif(data: bytes) -> bool:
    if len(data) < 13:
        return False
    place = 13 + _colours(data[10])
    while place < len(data):
        introducer = data[place]
        if introducer == 0x3B:
            return place + 1 == len(data)
        if introducer == 0x21 and place + 1 < len(data) and _is_plain_extension(data, place):
            place = _skip_sub_blocks(data, place + 2)
        elif introducer == 0x2C and place + 10 < len(data):
            place = _skip_sub_blocks(data, place + 11 + _colours(data[place + 9]))
        else:
            return False
    return False


def _is_plain_jpeg(data: bytes) -> bool:
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        place += 2 + int.from_bytes(data[place + 2 : place + 4])
        if marker == _SOS:
            match = _NEXT_MARKER.search(data, place)
            if match is None:
                return False
            place = match.start()
            if data[place + 1] == _EOI:
                return place + 2 == len(data)
        elif marker not in _JPEG_SEGMENTS:
            return False
    return False


def _is_plain_png(data: bytes) -> bool:
    place = len(PNG_SIGNATURE)
    while place + 12 <= len(data):
        name = data[place + 4 : place + 8]
        place += 12 + int.from_bytes(data[place : place + 4])
        if name == b"IEND":
            return place == len(data)
        if name not in _PNG_CHUNKS:
            return False
    return False


def _is_plain_webp(data: bytes) -> bool:
    if int.from_bytes(data[4:8], "little") + 8 != len(data):
        return False
    place = 12
    while place + 8 <= len(data):
        if data[place : place + 4] not in _WEBP_CHUNKS:
            return False
        size = int.from_bytes(data[place + 4 : place + 8], "little")
        place += 8 + size + size % 2
    return place == len(data)


_WALKS: Final[dict[ImageFormat, Callable[[bytes], bool]]] = {
    ImageFormat.PNG: _is_plain_png,
    ImageFormat.JPEG: _is_plain_jpeg,
    ImageFormat.GIF: _is_plain_gif,
    ImageFormat.WEBP: _is_plain_webp,
    ImageFormat.AVIF: _is_plain_avif,
}
# 40 million pixels are 160 MB decoded; the largest phone photographs have 50 million but are not previews.
MAX_PIXELS: Final = 40_000_000


@dataclass(frozen=True, slots=True)
class CleanImage:
    """An image that is safe to serve under its own type.

    This module needs no Pillow, which only the processes that decode import.
    """

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


def sniff_image(data: bytes) -> ImageFormat | None:
    """Recognise an image by its first bytes. SVG, a document that can run scripts, is no image here."""
    if data.startswith(PNG_SIGNATURE):
        return ImageFormat.PNG
    if data.startswith(b"\xff\xd8\xff"):
        return ImageFormat.JPEG
    if data.startswith((b"GIF87a", b"GIF89a")):
        return ImageFormat.GIF
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageFormat.WEBP
    if data[4:8] == b"ftyp" and data[8:12] in _AVIF_BRANDS:
        return ImageFormat.AVIF
    if data.startswith(b"\0\0\1\0"):
        return ImageFormat.ICO
    return None


def is_plain(data: bytes, kind: ImageFormat) -> bool:
    """Return whether the container holds its image, what colours need, and nothing else, up to the last byte."""
    walk = _WALKS.get(kind)
    return walk is not None and walk(data)


def _colours(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _is_plain_extension(data: bytes, place: int) -> bool:
    label = data[place + 1]
    return label == _GRAPHIC_CONTROL or (label == _APPLICATION and data[place + 3 : place + 14] in _LOOPS)


def _skip_sub_blocks(data: bytes, place: int) -> int:
    while place < len(data) and data[place]:
        place += 1 + data[place]
    return place + 1
