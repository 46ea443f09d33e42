"""An article as the reader shows it: headings that the list of contents leads to, images that open large, cells of
tables that are wide enough to read, the pages of a document. The stored article has none of it; its text and marks of
highlights stay the same.
"""

import re
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from kept.content.article.highlights.marking import MAX_TAGS
from kept.content.article.safe_html import (
    IMAGE_LABEL,
    INLINE,
    LONG,
    PAGE_PREFIX,
    PLACE_PREFIX,
    SECTION_PREFIX,
    SafeHtml,
)
from kept.content.markup import decode_entities
from kept.domain.document import PAGE_WIDTH, PageSize

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CELLS: Final = frozenset({"th", "td"})
# More than anybody reads in a list of contents.
MAX_HEADINGS: Final = 200
MAX_HEADING_CHARS: Final = 120
LEAST_HEADINGS: Final = 3
# Two levels tell where one is; the third makes the list as long as the article.
LEVELS: Final = 2
# Pixels: a page that is narrower than a hair must not push everything after it out of reach.
MAX_PAGE_HEIGHT: Final = 16_000
# An image that comes within the first sentences is one that the article begins with.
OPENING_CHARS: Final = 300
# A cell with more keeps a width that can be read, and its table scrolls instead.
SHORT_CELL_CHARS: Final = 16

_TAG: Final = re.compile(r"<(/?)([a-z0-9]++)([^<>]*+)>")
_ID: Final = re.compile(r' id="([^"<>]*+)"')
_IMAGE: Final = re.compile(r'src="(/api/images/[0-9a-f-]++)"')
_TEXT: Final = re.compile(r' alt="\s*+[^"\s]')
_LONG_CELL: Final = re.compile(rf"\s*+(?:(?:<(?!/?t[dh][ >])[^<>]*+>)*+[^<>]){{{SHORT_CELL_CHARS + 1}}}")


@dataclass(frozen=True, slots=True)
class Heading:
    id: str
    text: str
    level: int
    """0 for the article's highest headings."""


@dataclass(frozen=True, slots=True)
class PresentedArticle:
    html: SafeHtml
    contents: tuple[Heading, ...]
    """Empty if there are too few headings for a list of them."""


@dataclass(frozen=True, slots=True)
class PageImages:
    """How the pages of a document look."""

    item_id: UUID
    sizes: tuple[PageSize, ...]
    are_alone: bool = False
    """There is no text beside them."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Of a document: each section of its article is one, or a chapter."""

    are_chapters: bool = False
    images: PageImages | None = None
    """Where they are shown too."""


def present_article(html: SafeHtml, pages: Pages | None = None) -> PresentedArticle:
    """An article with more than `MAX_TAGS` tags is left as it is."""
    if str(html).count("<") > MAX_TAGS:
        return PresentedArticle(html, ())
    writer = _Writer(str(html), pages)
    shown = SafeHtml.admit_shown(_TAG.sub(writer.rewrite, writer.html))
    if shown is None:
        raise RuntimeError("markup was written that is not of the language of shown articles")
    return PresentedArticle(shown, _choose_levels(writer.headings))


def begins_with_image(html: SafeHtml) -> bool:
    first = str(html).find("<img ")
    return first >= 0 and len(_TAG.sub("", str(html)[:first]).strip()) < OPENING_CHARS


def has_image(html: SafeHtml, image_id: UUID) -> bool:
    return f'src="/api/images/{image_id}"' in str(html)


def _choose_levels(headings: list[Heading]) -> tuple[Heading, ...]:
    used = sorted({heading.level for heading in headings})[:LEVELS]
    chosen = [Heading(one.id, one.text, used.index(one.level)) for one in headings if one.level in used]
    return tuple(chosen) if len(chosen) >= LEAST_HEADINGS else ()


@dataclass(slots=True)
class _Writer:
    """Sees each tag in turn."""

    html: str
    pages: Pages | None = None
    page: int = 0
    """How many have begun."""
    headings: list[Heading] = field(default_factory=list)
    open_links: int = 0
    begun: tuple[str, int] | None = None
    """The id of the heading that is open, and where its text begins."""

    def rewrite(self, tag: re.Match[str]) -> str:
        is_end, name, attributes = tag.groups()
        if name == "a":
            self.open_links += -1 if is_end else 1
        elif name == "img" and not self.open_links and f'class="{INLINE}"' not in attributes:
            return self.link_image(tag[0])
        elif name == "section" and self.pages is not None and not is_end:
            return self.begin_page(tag, self.pages)
        elif name in HEADINGS:
            return self.end_heading(tag) if is_end else self.begin_heading(tag)
        elif name in CELLS and not is_end and _LONG_CELL.match(self.html, tag.end()):
            return f'{tag[0][:-1]} class="{LONG}">'
        return tag[0]

    def begin_page(self, tag: re.Match[str], pages: Pages) -> str:
        self.page += 1
        own, images = _ID.sub("", tag[3]), pages.images
        mark = "" if pages.are_chapters else f' data-page="{self.page}"'
        begun = f'<section{own} id="{PAGE_PREFIX}{self.page}"{mark}>'
        if images is None or self.page > len(images.sizes):
            return begun
        size = images.sizes[self.page - 1]
        source = f"/api/v1/items/{images.item_id}/document/pages/{self.page}.webp"
        alt = self.page if images.are_alone else ""
        height = min(round(PAGE_WIDTH * max(1, size.height) / max(1, size.width)), MAX_PAGE_HEIGHT)
        image = f'<img class="page" src="{source}" alt="{alt}" width="{PAGE_WIDTH}" height="{height}" loading="lazy">'
        return begun + image

    def link_image(self, tag: str) -> str:
        source = _IMAGE.search(tag)
        if source is None:
            return tag
        label = "" if _TEXT.search(tag) else f' aria-labelledby="{IMAGE_LABEL}"'
        return f'<a class="zoom" href="{source[1]}"{label}>{tag}</a>'

    def begin_heading(self, tag: re.Match[str]) -> str:
        if len(self.headings) >= MAX_HEADINGS:
            return tag[0]
        own = _ID.search(tag[3])
        place = own[1] if own and own[1].startswith(PLACE_PREFIX) else f"{SECTION_PREFIX}{len(self.headings) + 1}"
        self.begun = place, tag.end()
        return tag[0] if own else f'<{tag[2]}{tag[3]} id="{place}">'

    def end_heading(self, tag: re.Match[str]) -> str:
        if self.begun:
            place, start = self.begun
            text = " ".join(decode_entities(_TAG.sub("", self.html[start : tag.start()])).split())
            shown = text if len(text) <= MAX_HEADING_CHARS else f"{text[: MAX_HEADING_CHARS - 1]}…"
            if shown:
                self.headings.append(Heading(place, shown, int(tag[2][1])))
        self.begun = None
        return tag[0]
