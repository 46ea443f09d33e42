"""A site's name in the titles of its pages, for `metadata`, and for articles once their headings are known."""

import re
from collections.abc import Iterable
from typing import Final

from kept.content.page.head import PageHead

_LONGEST: Final = 80
_SEPARATOR: Final = re.compile(r"(?<!\s)\s++[|–—·•»:-]\s++|(?<!\s)\s*+[|»]\s*+")
_SHORTEST_TITLE: Final = 8


def without_site_name(title: str | None, site_name: str | None) -> str | None:
    """Remove " | Site" after the title or "Site | " before it."""
    if not title or not site_name or len(site_name) > _LONGEST:
        return title
    rest = _cut_end(title, site_name) or _cut_start(title, site_name) or title
    return rest if len(rest) >= _SHORTEST_TITLE else title


def as_in_heading(title: str | None, headings: Iterable[str]) -> str | None:
    """Cut the title after a heading of the page, without the section and site that follow it."""
    for heading in headings:
        is_start = title is not None and title.lower().startswith(heading.lower())
        if title is not None and is_start and len(heading) >= _SHORTEST_TITLE and _SEPARATOR.match(title, len(heading)):
            return title[: len(heading)]
    return title


def _cut_end(title: str, site_name: str) -> str | None:
    if not title.lower().endswith(site_name.lower()):
        return None
    before = title[: -len(site_name)]
    bare = before.rstrip()
    cut = bare.rstrip("|–—·•»:-").rstrip()
    # A hyphen without a space before the name may be a part of it.
    return cut if len(cut) < len(bare) and (len(bare) < len(before) or bare.endswith(("|", "»"))) else None


def _cut_start(title: str, site_name: str) -> str | None:
    if not title.lower().startswith(site_name.lower()):
        return None
    match = _SEPARATOR.match(title, len(site_name))
    return title[match.end() :] if match else None


def site_in_title(head: PageHead) -> str:
    """Return what the page's title has after its og:title, such as " - The New York Times"."""
    shared = head.first("og:title")
    if not shared or not head.title.startswith(shared):
        return ""
    rest = head.title[len(shared) :]
    match = _SEPARATOR.match(rest)
    name = rest[match.end() :] if match else ""
    return name if 0 < len(name) <= _LONGEST and not _SEPARATOR.search(name) else ""
