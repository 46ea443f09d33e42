"""The best of a site's icons for a small square beside a title. For `metadata` only."""

import re
from typing import Final

from kept.content.page.head import IconLink
from kept.content.page.links import MAX_IMAGE_URL, resolve_http

# Shown at 16 to 32 pixels, on dense screens twice that.
_WANTED: Final = 64
_SIZE: Final = re.compile(r"(\d{1,4})x\d{1,4}", re.IGNORECASE)
# What an icon without a stated size usually has.
_USUAL: Final = {"icon": 32, "apple-touch-icon": 180}


def best_icon(icons: list[IconLink], base_url: str) -> str | None:
    """The icon nearest to what we show, vector drawings last since our image proxy refuses them."""
    usable = [(icon, url) for icon in icons if (url := resolve_http(icon.href, base_url, max_length=MAX_IMAGE_URL))]
    return min(usable, key=_distance)[1] if usable else None


def _distance(candidate: tuple[IconLink, str]) -> tuple[bool, int, str]:
    icon, url = candidate
    is_vector = "svg" in icon.kind.lower() or url.partition("?")[0].lower().endswith(".svg")
    sizes = [int(size) for size in _SIZE.findall(icon.sizes)] or [_USUAL[icon.rel]]
    # Too small is worse than too large: enlarging blurs.
    distance = min(size - _WANTED if size >= _WANTED else 4 * (_WANTED - size) for size in sizes)
    return is_vector, distance, url
