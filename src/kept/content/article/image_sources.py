"""Gives each image of an article the one URL worth keeping: lazy ones resolved, the best chosen."""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

_LARGE_ATTRIBUTES: Final = ("data-srcset", "data-lazy-srcset", "data-original-set", "srcset")
_LAZY_ATTRIBUTES: Final = (
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-hi-res-src",
    "data-full-src",
    "data-image-src",
    "data-src-large",
    "data-old-src",
)
_IMAGE_ADDRESS: Final = re.compile(r"\S+\.(?:jpe?g|png|gif|webp|avif)(?:[?#]\S*)?", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"data:|about:|(?:[^?#]*/)?(?:blank|spacer|pixel|placeholder|transparent|clear|1x1|loading|loader|lazy-?load|grey|gray)"
    r"[\w-]*\.(?:gif|png|svg|jpe?g)(?:[?#]|$)",
    re.IGNORECASE,
)
_TRACKER_PIXELS: Final = 2
_MOST_DIGITS: Final = 6
_MAX_SRCSET: Final = 64 * 1024
# Wider than any column of text on any screen at double density; wider candidates only cost disk.
_ENOUGH_WIDTH: Final = 2400.0
_GLUED: Final = re.compile(r"(\s[\d.]{1,9}[wx],)")


def resolve_images(root: LexborNode) -> None:
    """In place: every `img` gets its best source as `src`, or goes if it has none."""
    for picture in root.css("picture, figure"):
        add_missing_image(picture)
    for image in reversed(root.css("img")):
        source = None if is_tracker(image) else find_source(image)
        if source is None:
            image.decompose()
            continue
        image.attrs["src"] = source
        if "srcset" in image.attributes:
            del image.attrs["srcset"]


def add_missing_image(holder: LexborNode) -> None:
    """Some pages leave the `img` of a `picture` to a script."""
    if holder.tag != "picture" or holder.css_first("img") is not None or holder.css_first("source") is None:
        return
    image = holder.parser.create_node("img")
    holder.insert_child(image)


def is_tracker(image: LexborNode) -> bool:
    return all(pixels is not None and pixels <= _TRACKER_PIXELS for pixels in list_sizes(image))


def list_sizes(image: LexborNode) -> list[int | None]:
    """Its width and height in pixels, as far as the page tells them."""
    return [parse_pixels(image.attributes.get(side) or "") for side in ("width", "height")]


def parse_pixels(text: str) -> int | None:
    """Python refuses to read a number of thousands of digits."""
    return int(text[:_MOST_DIGITS]) if text.isdecimal() else None


def find_source(image: LexborNode) -> str | None:
    return next((source for source in candidates(image) if source and not _PLACEHOLDER.match(source)), None)


def candidates(image: LexborNode) -> Iterator[str]:
    """Where the image may be had, best first."""
    attributes = image.attributes
    for holder in (attributes, *source_attributes(image)):
        for name in _LARGE_ATTRIBUTES:
            yield best_candidate(holder.get(name)) or ""
    for name in _LAZY_ATTRIBUTES:
        yield (attributes.get(name) or "").strip()
    yield (attributes.get("src") or "").strip()
    for name, value in attributes.items():
        if name.startswith("data-") and value and _IMAGE_ADDRESS.fullmatch(value.strip()):
            yield value.strip()


def source_attributes(image: LexborNode) -> list[dict[str, str | None]]:
    parent = image.parent
    if parent is None or parent.tag != "picture":
        return []
    return [source.attributes for source in parent.css("source")]


def best_candidate(srcset: str | None) -> str | None:
    """The best of several candidates for one image, from a `srcset` attribute. For `sanitise` and `prune`.

    The widest candidate up to what a reader can show, else the narrowest beyond that, or None.
    """
    candidates = [(size, url) for size, url in _parse_srcset(srcset or "") if not url.startswith("data:")]
    if not candidates:
        return None
    fitting = [candidate for candidate in candidates if candidate[0] <= _ENOUGH_WIDTH]
    # max and min both keep the first of equals, so the answer depends on the page's order alone.
    return max(fitting, key=_size)[1] if fitting else min(candidates, key=_size)[1]


def _size(candidate: tuple[float, str]) -> float:
    return candidate[0]


def _parse_srcset(srcset: str) -> Iterator[tuple[float, str]]:
    """Each candidate's width (or density) and URL.

    A URL may hold commas (image servers put their options there), so a comma separates only where
    white space or a descriptor is beside it.
    """
    words = iter(_GLUED.sub(r"\1 ", srcset[:_MAX_SRCSET]).split())
    for word in words:
        url = word.strip(",")
        size = 1.0
        while not word.endswith(",") and (word := next(words, ",")):
            size = _measure(word) or size
        if url:
            yield size, url


def _measure(descriptor: str) -> float | None:
    number, unit = descriptor.rstrip(",")[:-1], descriptor.rstrip(",")[-1:]
    try:
        return float(number) if unit in ("w", "x") else None
    except ValueError:
        return None
