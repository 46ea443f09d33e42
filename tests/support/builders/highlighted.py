"""Pages with highlights, as files tell of them."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from kept.content.export_formats.highlight_files import HighlightedPage
from kept.domain.highlight import Colour, Highlight, Quote, Span
from kept.domain.item import Card, ReadingState
from support.builders.values import make_item, make_media

AT: Final = datetime(2026, 5, 4, 12, 30, 15, 250_001, tzinfo=UTC)
PAGE_FIELDS: Final = ("byline", "site_name")


def make_highlight(exact: str = "marked words", note: str | None = None, **fields: Any) -> Highlight:
    said: dict[str, Any] = {
        "id": UUID(int=9),
        "user_id": UUID(int=4),
        "media_id": UUID(int=1),
        "span": Span(4, 4 + len(exact)),
        "quote": Quote(exact, "the ", " here"),
        "colour": Colour.YELLOW,
        "note": note,
        "anchored_version": 1,
        "created_at": AT,
        "updated_at": AT,
    }
    return Highlight(**said | fields)


def make_highlighted_page(
    *highlights: Highlight, tags: tuple[str, ...] = (), read_url: str | None = None, **words: Any
) -> HighlightedPage:
    media = make_media(**{name: words.pop(name) for name in PAGE_FIELDS if name in words})
    said = {"url": "https://e.org/a?b=1&c=2", "title": "A page", "created_at": AT} | words
    return HighlightedPage(Card(make_item(**said), media, tags, ReadingState()), highlights, read_url)
