"""Whether an image shows next to nothing: one colour, or a smooth gradient. Pure."""

import io
from typing import Final

from PIL import Image, ImageChops

# Two neighbours that differ by more than this are an edge; those of a gradient over the whole image differ by 1.
EDGE: Final = 12
# Of the pixels of a thumbnail, a spinner or a single word on white has 0.06 % edges, a heading with two lines of text
# 1 %, an article 13 %.
LEAST_EDGES: Final = 0.002


def is_nearly_uniform(image: bytes) -> bool:
    """Return whether an image shows next to nothing; it is one of our thumbnails, small and safe to decode."""
    with Image.open(io.BytesIO(image), formats=("WEBP",)) as opened:
        shown = opened.convert("RGB")
    return count_edges(shown) < LEAST_EDGES * shown.width * shown.height


def count_edges(image: Image.Image) -> int:
    """Count pixels that differ from those to the right and below, in any colour. Letters and photographs have many; the
    borders of a header or of a sidebar have none."""
    right, below = (ImageChops.difference(image, shift(image, x, y)) for x, y in ((1, 0), (0, 1)))
    red, green, blue = ImageChops.darker(right, below).split()
    strongest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(strongest.histogram()[EDGE + 1 :])


def shift(image: Image.Image, x: int, y: int) -> Image.Image:
    """Move an image to the left and up; the last column and row are repeated, so that the border is no edge."""
    moved = image.copy()
    moved.paste(image.crop((x, y, image.width, image.height)), (0, 0))
    return moved
