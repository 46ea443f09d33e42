"""A page with the viewer's highlights, as a file tells of it."""

from collections.abc import Sequence

from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.domain.highlight import Highlight
from kept.domain.item import Card


def describe_highlights(card: Card, highlights: Sequence[Highlight], base_url: str | None) -> HighlightedPage:
    read_url = f"{base_url.rstrip('/')}/read/{card.item.id}" if base_url else None
    return HighlightedPage(card, highlights, read_url)
