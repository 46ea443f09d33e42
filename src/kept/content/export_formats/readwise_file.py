"""Highlights as the CSV that Readwise imports, and many programs with it: one line a highlight. Nothing in it is a
formula, whatever pages and people wrote."""

from collections.abc import Iterator
from typing import Final

from kept.content.export_formats.csv_file import neutralise, write_lines
from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.domain.highlight import Highlight

# Readwise knows these and no others. It orders the highlights of a page by their location.
COLUMNS: Final = ("Highlight", "Title", "Author", "URL", "Note", "Location", "Date")


def write_heading() -> str:
    """Without a byte order mark: the first column must have its name."""
    return write_lines([COLUMNS])


def write_rows(page: HighlightedPage) -> str:
    return write_lines(list_cells(page, highlight) for highlight in page.highlights)


def list_cells(page: HighlightedPage, highlight: Highlight) -> Iterator[str]:
    card, span = page.card, highlight.span
    author = card.media.byline or card.media.site_name or ""
    place = str(span.start) if span else ""
    at = highlight.created_at.isoformat(sep=" ", timespec="seconds")
    said = (highlight.quote.exact, page.title, author, card.item.url, highlight.note or "", place, at)
    return map(neutralise, said)
