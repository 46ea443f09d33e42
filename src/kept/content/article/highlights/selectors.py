"""Places in an article as Readeck's clients tell them: `section/p[3]`, and how many code points of it come before."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kept.content.article.highlights.xpath_ranges import ArticlePlaces, XPathRange
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Span

ROOT: Final = "."


class Selectors(NamedTuple):
    """Where a passage begins and ends; the end is the place after its last character."""

    start_selector: str
    start_offset: int
    end_selector: str
    end_offset: int


def find_span(html: SafeHtml, selectors: Selectors) -> Span | None:
    """Return the span of the canonical text between two places; None if there is no such place, or nothing there."""
    return ArticlePlaces(html, in_utf16=False).find_span(XPathRange(*selectors))


def find_selectors(html: SafeHtml, spans: Sequence[Span]) -> list[Selectors | None]:
    """Return the selectors of each span; None for one that has no place in the markup."""
    places = ArticlePlaces(html, in_utf16=False)
    return [_write_selectors(found) if (found := places.write_range(span)) else None for span in spans]


def _write_selectors(place: XPathRange) -> Selectors:
    return Selectors(_write_path(place.start), place.start_offset, _write_path(place.end), place.end_offset)


def _write_path(path: str) -> str:
    return path.removeprefix("/").replace("[1]", "") or ROOT
