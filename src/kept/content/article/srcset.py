"""The best of several candidates for one image, from a `srcset` attribute. For `sanitise` and `prune`."""

import re
from collections.abc import Iterator
from typing import Final

_MAX_SRCSET: Final = 64 * 1024
# Wider than any column of text on any screen at double density; wider candidates only cost disk.
_ENOUGH_WIDTH: Final = 2400.0
_GLUED: Final = re.compile(r"(\s[\d.]{1,9}[wx],)")


def best_candidate(srcset: str | None) -> str | None:
    """The widest candidate up to what a reader can show, else the narrowest beyond that, or None."""
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
