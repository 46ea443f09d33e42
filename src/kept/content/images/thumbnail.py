"""Makes the small image a card shows: image bytes in, WebP bytes out. Pure; any layer may call it.

The input is hostile (a site's image) or at least unknown (a screenshot), so its header is judged before a
single pixel is decoded.
"""

import io
import warnings
from typing import Final

from PIL import Image, ImageOps

from kept.content.images.format import MAX_PIXELS, BadImage, Thumbnail

# Wide enough for a card on a double-density screen; 16:9 gives 640 × 360, about 15 kB.
MAX_SIDE: Final = 640
QUALITY: Final = 80
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")


def make_thumbnail(image: bytes, *, max_pixels: int = MAX_PIXELS) -> Thumbnail | BadImage:
    try:
        opened = open_quietly(image)
    except Image.DecompressionBombError:
        return BadImage.TOO_MANY_PIXELS
    except Exception:  # Pillow's plugins raise whatever a hostile header makes them raise
        return BadImage.NOT_AN_IMAGE
    with opened:
        if opened.width * opened.height > max_pixels:
            return BadImage.TOO_MANY_PIXELS
        try:
            return shrink(opened)
        except Exception:  # as above, now from the pixels
            return BadImage.BROKEN


def open_quietly(image: bytes) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own cap is lower
        return Image.open(io.BytesIO(image), formats=FORMATS)


def shrink(image: Image.Image) -> Thumbnail:
    image.draft("RGB", (MAX_SIDE * 2, MAX_SIDE * 2))  # JPEG decodes straight to a smaller size
    upright = ImageOps.exif_transpose(image)
    kept = upright if upright.mode in {"RGB", "RGBA"} else upright.convert("RGBA")
    kept.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    kept.save(out, "WEBP", quality=QUALITY, method=4)
    return Thumbnail(out.getvalue(), kept.width, kept.height)
