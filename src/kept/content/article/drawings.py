"""Drawings that a page writes as inline SVG: a line with their words and a link to the page takes their place. Pure."""

from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.page.text_cleaning import clean_line, shorten

# Smaller ones are icons and logos.
_LEAST_WIDTH: Final = 100.0
_LEAST_HEIGHT: Final = 60.0
_MOST_DRAWINGS: Final = 50
_MOST_LEVELS: Final = 12
_MAX_WORDS: Final = 300
_LABEL: Final = "Drawing on the original page"


def name_drawings(tree: LexborHTMLParser, url: str) -> None:
    """`url`: where the page is; without it nothing is linked to."""
    for svg in [svg for svg in tree.css("svg") if is_drawing(svg)][:_MOST_DRAWINGS]:
        words = read_words(svg)
        label = f'<a href="{escape(url)}">{_LABEL}</a>' if url else _LABEL
        svg.insert_before(parse(f"<p>{label}{': ' + escape(words) if words else ''}</p>"))


def parse(html: str) -> LexborNode:
    found = LexborHTMLParser(html).css_first("p")
    assert found is not None
    return found


def is_drawing(svg: LexborNode) -> bool:
    """Large, not merely decoration, and either named or in a figure."""
    if svg.attributes.get("aria-hidden") == "true" or not is_large(svg):
        return False
    above = list_parents(svg)
    if any(tag in {"svg", "a", "button", "nav", "footer"} for tag in above):
        return False
    return "figure" in above or bool(read_words(svg))


def list_parents(node: LexborNode) -> list[str]:
    found: list[str] = []
    parent = node.parent
    while parent is not None and len(found) < _MOST_LEVELS:
        found.append(parent.tag or "")
        parent = parent.parent
    return found


def is_large(svg: LexborNode) -> bool:
    box = (svg.attributes.get("viewbox") or svg.attributes.get("viewBox") or "")[:100].replace(",", " ").split()
    width, height = svg.attributes.get("width"), svg.attributes.get("height")
    if (width is None or "%" in width) and len(box) == 4:
        width, height = box[2], box[3]
    return read_pixels(width) >= _LEAST_WIDTH and read_pixels(height) >= _LEAST_HEIGHT


def read_pixels(text: str | None) -> float:
    try:
        return float((text or "0")[:20].removesuffix("px"))
    except ValueError:
        return 0.0


def read_words(svg: LexborNode) -> str:
    """What the drawing says that it shows."""
    named = svg.attributes.get("aria-label") or ""
    for child in svg.iter():
        if child.tag in {"title", "desc"}:
            named = named or child.text()
    return shorten(clean_line(named[: 2 * _MAX_WORDS]), _MAX_WORDS)
