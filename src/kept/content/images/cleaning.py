"""Turns bytes that claim to be an image into an image that may be served, or refuses them.

Pillow runs on hostile bytes here: call it in a killable process (`kept.subprocesses.workers`). The header is
judged before a pixel is decoded; every image is decoded, so that what is served is one; a plain container is kept
byte for byte, an odd one is drawn anew and leaves everything but its pixels behind.
"""

import io
from typing import Final

from PIL import Image, ImageOps

from kept.content.images.format import MAX_PIXELS, SERVED, BadImage, CleanImage, ImageFormat, is_plain, sniff_image

# The pixels of all frames together, when an animation must be drawn anew; one with more becomes its first frame.
MAX_REDRAWN_PIXELS: Final = MAX_PIXELS
JPEG_QUALITY: Final = 90
# From 0 to 10; for 1.6 million pixels of noise the default took 6.9 s and this 0.9 s, for as many bytes.
AVIF_SPEED: Final = 9
ORIENTATION: Final = 0x0112
UPRIGHT: Final = 1
_ANIMATED: Final = frozenset({ImageFormat.GIF, ImageFormat.WEBP, ImageFormat.PNG})


def clean_image(data: bytes, *, max_pixels: int = MAX_PIXELS) -> CleanImage | BadImage:
    kind = sniff_image(data)
    if kind is None:
        return BadImage.NOT_AN_IMAGE
    opened = open_image(data, kind, max_pixels=max_pixels)
    if isinstance(opened, BadImage):
        return opened
    with opened:
        try:
            opened.load()
            if kind in SERVED and is_plain(data, kind):
                return CleanImage(data, kind)
            return redraw(opened, kind)
        except Exception:  # Pillow's plugins raise whatever hostile pixels make them raise
            return BadImage.BROKEN


def convert_image(data: bytes, *, max_pixels: int = MAX_PIXELS) -> CleanImage | BadImage:
    """Convert an image to PNG or JPEG, for readers that know no newer format."""
    kind = sniff_image(data)
    opened = open_image(data, kind, max_pixels=max_pixels) if kind else BadImage.NOT_AN_IMAGE
    if isinstance(opened, BadImage):
        return opened
    with opened:
        try:
            to = ImageFormat.PNG if opened.has_transparency_data else ImageFormat.JPEG
            return save(opened.convert("RGBA" if to is ImageFormat.PNG else "RGB"), to)
        except Exception:  # as above
            return BadImage.BROKEN


def open_image(data: bytes, kind: ImageFormat, *, max_pixels: int) -> Image.Image | BadImage:
    """Open an image with the one decoder that its first bytes ask for."""
    Image.MAX_IMAGE_PIXELS = None  # our own cap comes right below
    try:
        opened = Image.open(io.BytesIO(data), formats=(kind.name,))
    except Exception:  # as above, from the header
        return BadImage.NOT_AN_IMAGE
    if opened.width * opened.height > max_pixels:
        opened.close()
        return BadImage.TOO_MANY_PIXELS
    return opened


def redraw(opened: Image.Image, kind: ImageFormat) -> CleanImage:
    if kind is ImageFormat.ICO:
        return save(opened.convert("RGBA"), ImageFormat.PNG)
    options: dict[str, object] = {"exif": b"", "comment": b""}  # else Pillow writes what it has read
    if opened.info.get("icc_profile"):
        options["icc_profile"] = opened.info["icc_profile"]
    if kind in _ANIMATED and is_animation(opened):
        return save(opened, kind, save_all=True, **options)
    if find_orientation(opened) != UPRIGHT:
        return save(ImageOps.exif_transpose(opened), kind, quality=JPEG_QUALITY, **options)
    if kind is ImageFormat.JPEG:
        options["quality"] = "keep"  # the same tables as before, so that next to nothing is lost
    return save(opened, kind, **options)


def find_orientation(opened: Image.Image) -> int:
    try:
        return int(opened.getexif().get(ORIENTATION, UPRIGHT))
    except Exception:  # odd metadata is no reason to lose the image
        return UPRIGHT


def is_animation(opened: Image.Image) -> bool:
    frames = getattr(opened, "n_frames", 1)
    return bool(1 < frames <= MAX_REDRAWN_PIXELS // (opened.width * opened.height))


def save(image: Image.Image, kind: ImageFormat, **options: object) -> CleanImage:
    out = io.BytesIO()
    if kind is ImageFormat.AVIF:
        options["speed"] = AVIF_SPEED
    image.save(out, kind.name, **options)
    return CleanImage(out.getvalue(), kind)
