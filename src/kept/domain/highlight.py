"""Highlights: a passage one person marked in a media's article, with a colour and perhaps a note. Theirs alone.

The place is a span of code points in the article's canonical text. The quote, with a little text on either side, finds
the place again in another copy of the page (the text quote selector of the W3C's Web Annotation model).
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.errors import InvalidRequest, TooManyHighlights
from kept.domain.text import parse_text

CONTEXT_LENGTH: Final = 32
MAX_QUOTE: Final = 20_000
MAX_NOTE: Final = 20_000
MAX_PER_MEDIA: Final = 5_000
"""The most highlights one person may have on one media."""

MAX_CHARACTERS_PER_MEDIA: Final = 5_000_000
"""The most characters in their quotes and notes together: a page shows all of them at once."""


class Colour(StrEnum):
    """The colours of highlights."""

    YELLOW = "yellow"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


DEFAULT_COLOUR: Final = Colour.YELLOW


class HighlightState(StrEnum):
    ANCHORED = "anchored"
    """The highlight has a place in the article."""
    WAITING = "waiting"
    """The place was not looked for yet: there is no article, or a worker is about to look."""
    NOT_FOUND = "not_found"
    """The highlight's words are not in this copy of the page."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The marked text, and up to `CONTEXT_LENGTH` code points before and after it."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Code points `start` to `end` (exclusive) of an article's canonical text; never empty."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"{self.start} to {self.end} is not a span")


@dataclass(frozen=True, slots=True)
class Highlight:
    id: UUID
    user_id: UUID
    media_id: UUID
    span: Span | None
    """The place; None if it was not found in this copy, or there is no article yet."""
    quote: Quote
    colour: Colour
    note: str | None
    anchored_version: int | None
    """The version of the canonical text that was searched last; None before there was an article."""
    created_at: datetime
    updated_at: datetime

    @property
    def state(self) -> HighlightState:
        if self.span is not None:
            return HighlightState.ANCHORED
        return HighlightState.WAITING if self.anchored_version is None else HighlightState.NOT_FOUND


@dataclass(frozen=True, slots=True)
class NewHighlight:
    """A highlight that somebody makes or that a file brings; the times are the file's, None means now."""

    quote: Quote
    colour: Colour = DEFAULT_COLOUR
    note: str | None = None
    hint: int | None = None
    """About where it starts in the text, in code points; it chooses among several places."""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    number: int | None = field(default=None, compare=False)
    """The number that apps used for it on the server that a file comes from."""


@dataclass(frozen=True, slots=True)
class HighlightFilter:
    """A filter for a list of one's own highlights."""

    text: str = ""
    """Words and phrases of the quote or the note, as for a search."""
    colour: Colour | None = None
    site: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    on_day: date | None = None
    """The day of earlier years on which they were made."""
    zone: tzinfo = UTC
    """The time zone of `on_day`."""


@dataclass(frozen=True, slots=True)
class HighlightRoom:
    """The number and size of one person's highlights on one media."""

    number: int = 0
    characters: int = 0

    @property
    def is_exceeded(self) -> bool:
        return self.number > MAX_PER_MEDIA or self.characters > MAX_CHARACTERS_PER_MEDIA

    def add(self, quote: Quote, note: str | None) -> "HighlightRoom":
        return HighlightRoom(self.number + 1, self.characters + len(quote.exact) + len(note or ""))

    def require(self) -> None:
        if self.number > MAX_PER_MEDIA:
            raise TooManyHighlights(
                "A page has room for %(max_per_media)s highlights, and this would be one more.",
                max_per_media=f"{MAX_PER_MEDIA:,}",
            )
        if self.is_exceeded:
            raise TooManyHighlights("The highlights and notes on this page are too long for one more.")


@dataclass(frozen=True, slots=True)
class Mark:
    """A highlight as it is marked in the article."""

    id: UUID
    span: Span
    colour: Colour
    has_note: bool = False


def parse_quote(exact: str, prefix: str = "", suffix: str = "") -> Quote:
    """Parse a quote; its context is cut at the far ends to what is kept."""
    if len(exact) > MAX_QUOTE:
        raise InvalidRequest("A highlight has at most %(max_quote)s characters.", max_quote=MAX_QUOTE)
    if not exact.strip():
        raise InvalidRequest("A highlight needs some text.")
    return Quote(exact.strip(), prefix[-CONTEXT_LENGTH:], suffix[:CONTEXT_LENGTH])


def parse_highlight_note(note: str | None) -> str | None:
    return parse_text(note, "A note", MAX_NOTE)
