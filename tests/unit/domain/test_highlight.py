"""The rules of highlights that need no text."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from kept.domain.errors import InvalidRequest, TooManyHighlights
from kept.domain.highlight import (
    CONTEXT_LENGTH,
    MAX_CHARACTERS_PER_MEDIA,
    MAX_NOTE,
    MAX_PER_MEDIA,
    MAX_QUOTE,
    Colour,
    Highlight,
    HighlightRoom,
    HighlightState,
    Quote,
    Span,
    parse_highlight_note,
    parse_quote,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_quote_keeps_the_context_next_to_it() -> None:
    quote = parse_quote("  the storm\n", "far " * 20 + "near", "near" + " far" * 20)
    assert quote.exact == "the storm"
    assert (len(quote.prefix), quote.prefix[-4:]) == (CONTEXT_LENGTH, "near")
    assert (len(quote.suffix), quote.suffix[:4]) == (CONTEXT_LENGTH, "near")


@pytest.mark.parametrize("exact", ["", " \n\t\u00a0", "x" * (MAX_QUOTE + 1)])
def test_a_quote_of_nothing_or_of_too_much_is_refused(exact: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_quote(exact)


def test_a_note_is_trimmed_and_of_limited_length() -> None:
    assert parse_highlight_note("  why? ") == "why?"
    assert parse_highlight_note(" \n") is None
    assert parse_highlight_note("x" * MAX_NOTE) == "x" * MAX_NOTE
    with pytest.raises(InvalidRequest, match="20000"):
        parse_highlight_note("x" * (MAX_NOTE + 1))


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (4, 2)])
def test_a_span_holds_some_text(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


def test_a_page_takes_so_many_highlights_and_no_more() -> None:
    almost = HighlightRoom(MAX_PER_MEDIA - 1)
    almost.add(Quote("x"), None).require()
    with pytest.raises(TooManyHighlights, match="5,000"):
        almost.add(Quote("x"), None).add(Quote("x"), None).require()


def test_what_is_marked_and_noted_on_a_page_has_a_limit_together() -> None:
    almost = HighlightRoom(1, MAX_CHARACTERS_PER_MEDIA - 3)
    almost.add(Quote("x"), "ab").require()
    with pytest.raises(TooManyHighlights, match="too long"):
        almost.add(Quote("x"), "abc").require()


@pytest.mark.parametrize(
    ("span", "version", "state"),
    [
        (Span(0, 1), 1, HighlightState.ANCHORED),
        (None, None, HighlightState.WAITING),
        (None, 1, HighlightState.NOT_FOUND),
    ],
)
def test_a_highlight_tells_whether_it_was_found(span: Span | None, version: int | None, state: HighlightState) -> None:
    highlight = Highlight(uuid4(), uuid4(), uuid4(), span, Quote("x"), Colour.RED, None, version, NOW, NOW)
    assert highlight.state is state
