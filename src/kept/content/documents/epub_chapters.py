"""A chapter of a book as part of one article: its links lead to the other chapters, its images have URLs."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.documents.epub_names import read_markup, resolve_name
from kept.content.page.bounds import find_excess

_SECTION: Final = re.compile(r"<(/?)section(?=[\s/>])", re.IGNORECASE)
_ABSOLUTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}:|//")
# What no text is in, and what an HTML parser reads in ways of its own.
_REMOVED: Final = ["script", "style", "title", "template", "iframe", "noscript", "textarea", "xmp", "plaintext"]
_HEADINGS: Final = "h1, h2, h3"
MAX_HEADING: Final = 300


@dataclass(frozen=True, slots=True)
class Chapter:
    html: str = field(repr=False)
    heading: str | None


@dataclass(frozen=True, slots=True)
class ChapterLinks:
    numbers: Mapping[str, int]
    """Of chapters, from 1, by their names in the zip."""
    find_image: Callable[[str, str], str | None]

    def find(self, href: str, base: str) -> str | None:
        """The place in the article that a link within the book leads to."""
        number = self.numbers.get(resolve_name(href, base))
        return None if number is None else f"#{place_name(number, href.partition('#')[2])}"


def place_name(chapter: int, name: str) -> str:
    """An id that is the only one in the whole book."""
    return f"c{chapter}-{name}" if name else f"c{chapter}"


def read_chapter(data: bytes, name: str, number: int, links: ChapterLinks) -> Chapter:
    """Empty where it cannot be parsed within bounds."""
    markup = _SECTION.sub(r"<\1div", read_markup(data, is_xhtml=True))
    tree = LexborHTMLParser(markup) if find_excess(markup) is None else None
    body = tree.body if tree is not None else None
    if tree is None or body is None:
        return Chapter("", None)
    tree.strip_tags(_REMOVED, recursive=True)
    _show_drawn_images(body)
    for node in body.css("[id]"):
        node.attrs["id"] = place_name(number, node.attributes.get("id") or "")
    for node in body.css("a[href]"):
        _rewrite_link(node, name, links)
    for node in body.css("img"):
        _rewrite_image(node, name, links)
    heading = body.css_first(_HEADINGS)
    text = " ".join(heading.text().split())[:MAX_HEADING] if heading is not None else None
    return Chapter(f'<a id="{place_name(number, "")}"></a>{body.inner_html or ""}', text or None)


def _rewrite_link(node: LexborNode, name: str, links: ChapterLinks) -> None:
    href = (node.attributes.get("href") or "").strip()
    if not _ABSOLUTE.match(href):
        node.attrs["href"] = links.find(href, name) or "#"


def _rewrite_image(node: LexborNode, name: str, links: ChapterLinks) -> None:
    """Of the book's own images alone: a book that is read loads nothing from elsewhere."""
    source = (node.attributes.get("src") or "").strip()
    node.attrs["src"] = (links.find_image(source, name) if source else None) or ""
    if "srcset" in node.attributes:
        del node.attrs["srcset"]


def _show_drawn_images(body: LexborNode) -> None:
    """Covers are often images in a drawing, which would be left out as a whole."""
    for drawing in body.css("svg"):
        image = drawing.css_first("image")
        own = image.attributes if image is not None else {}
        source = own.get("xlink:href") or own.get("href")
        shown = LexborHTMLParser("<img>").css_first("img") if source else None
        if shown is not None and source:
            shown.attrs["src"] = source
            drawing.replace_with(shown)
