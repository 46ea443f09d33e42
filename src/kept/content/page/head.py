"""A page's `<meta>`, `<link>` and `<title>` elements, wherever they are. Only `metadata` uses it."""

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.page.links import MAX_IMAGE_URL, resolve_http
from kept.content.page.text_cleaning import clean_line

_LANG: Final = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8}){0,3}", re.ASCII)
_MAX_ELEMENTS: Final = 500
_MAX_NAMES: Final = 4
_MAX_TIMES: Final = 5
_BY_READERS: Final = frozenset({"review", "reviews", "comment"})
_HIGHEST_REVIEW: Final = 20
# Ten times what is used of any of them.
_MAX_VALUE: Final = 20_000
# Shown at 16 to 32 pixels, on dense screens twice that.
_WANTED: Final = 64
_SIZE: Final = re.compile(r"(\d{1,4})x\d{1,4}", re.IGNORECASE)
# What an icon without a stated size usually has.
_USUAL: Final = {"icon": 32, "apple-touch-icon": 180}


@dataclass(frozen=True, slots=True)
class IconLink:
    """A `<link>` to one of the site's icons, as it was written."""

    href: str
    rel: str
    sizes: str
    kind: str


@dataclass(slots=True)
class PageHead:
    """The contents of the head; names are in lower case, values as they were written, first ones first."""

    values: dict[str, list[str]] = field(default_factory=dict)
    icons: list[IconLink] = field(default_factory=list)
    title: str = ""
    lang: str | None = None
    base_href: str | None = None
    canonical_href: str | None = None
    times: list[str] = field(default_factory=list)

    def all(self, name: str) -> list[str]:
        """Return every value given under the name."""
        return self.values.get(name, [])

    def first(self, *names: str) -> str:
        """Return the first value, as a clean line, that any of the names has; names are in order of trust."""
        for name in names:
            for value in self.all(name):
                if line := clean_line(value):
                    return line
        return ""


def read_head(page: LexborHTMLParser) -> PageHead:
    """Read the page's head, and elements of it that are in its body."""
    head = PageHead()
    for node in page.css("meta")[:_MAX_ELEMENTS]:
        _read_meta(node, head)
    for node in page.css("link")[:_MAX_ELEMENTS]:
        _read_link(node, head)
    head.title = _read_title(page)
    head.lang = _read_lang(page, head)
    head.times = _read_times(page)
    base = page.css_first("base[href]")
    head.base_href = base.attributes.get("href") if base is not None else None
    return head


def _read_times(page: LexborHTMLParser) -> list[str]:
    """Return dates, that of microdata first; reviews and comments have dates of their own."""
    dated = page.css("[itemprop~=datePublished][content]:not(meta)")[:_MAX_TIMES]
    said = [node.attributes.get("content") or "" for node in dated if not _is_of_reader(node)]
    return said + [node.attributes.get("datetime") or "" for node in page.css("time[datetime]")[:_MAX_TIMES]]


def _is_of_reader(node: LexborNode) -> bool:
    above: LexborNode | None = node
    for _ in range(_HIGHEST_REVIEW):
        if above is None:
            return False
        if _BY_READERS.intersection((above.attributes.get("itemprop") or "").split()):
            return True
        above = above.parent
    return False


def _read_meta(node: LexborNode, head: PageHead) -> None:
    attributes = node.attributes
    content = attributes.get("content")
    if not content:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        # A property may hold several names: "dc:title og:title".
        for name in (attributes.get(key) or "").lower().split(maxsplit=_MAX_NAMES)[:_MAX_NAMES]:
            head.values.setdefault(name, []).append(content[:_MAX_VALUE])


def _read_link(node: LexborNode, head: PageHead) -> None:
    attributes = node.attributes
    href = attributes.get("href")
    rel = (attributes.get("rel") or "").lower().split()
    if not href:
        return
    if "canonical" in rel:
        head.canonical_href = head.canonical_href or href
    if "icon" in rel or "apple-touch-icon" in rel or "apple-touch-icon-precomposed" in rel:
        kind = "icon" if "icon" in rel else "apple-touch-icon"
        head.icons.append(IconLink(href, kind, attributes.get("sizes") or "", attributes.get("type") or ""))


def _read_title(page: LexborHTMLParser) -> str:
    for node in page.css("title")[:20]:
        # Drawings have titles too ("Menu", "Search"), and may stand before the head's in broken markup.
        parent = node.parent
        if parent is not None and parent.tag in ("head", "body", "html") and (title := clean_line(node.text())):
            return title
    return ""


def _read_lang(page: LexborHTMLParser, head: PageHead) -> str | None:
    root = page.root
    attributes = root.attributes if root is not None else {}
    candidates = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        *head.all("content-language"),
        *head.all("og:locale"),
    )
    found = next((text.strip() for text in candidates if text and _LANG.fullmatch(text.strip())), None)
    return found.replace("_", "-") if found else None


def best_icon(icons: list[IconLink], base_url: str) -> str | None:
    """Return the icon nearest to the size we show; vector drawings come last, since our image proxy refuses them."""
    usable = [(icon, url) for icon in icons if (url := resolve_http(icon.href, base_url, max_length=MAX_IMAGE_URL))]
    return min(usable, key=_distance)[1] if usable else None


def _distance(candidate: tuple[IconLink, str]) -> tuple[bool, int, str]:
    icon, url = candidate
    is_vector = "svg" in icon.kind.lower() or url.partition("?")[0].lower().endswith(".svg")
    sizes = [int(size) for size in _SIZE.findall(icon.sizes)] or [_USUAL[icon.rel]]
    # Too small is worse than too large: enlarging blurs.
    distance = min(size - _WANTED if size >= _WANTED else 4 * (_WANTED - size) for size in sizes)
    return is_vector, distance, url
