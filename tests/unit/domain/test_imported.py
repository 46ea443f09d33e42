"""What of a file's highlights can be kept."""

from datetime import UTC, datetime, timedelta

import pytest

from kept.domain.highlight import (
    MAX_CHARACTERS_PER_MEDIA,
    MAX_NOTE,
    MAX_PER_MEDIA,
    MAX_QUOTE,
    Colour,
    NewHighlight,
    Quote,
)
from kept.domain.imported import (
    ImportedHighlight,
    ImportedLink,
    highlights_of,
    user_fields_of,
)

pytestmark = pytest.mark.requirement("Kept", "imports bring highlights, also before their article exists")

NOW = datetime(2026, 5, 4, tzinfo=UTC)
THEN = NOW - timedelta(days=100)


def link(*highlights: ImportedHighlight, **fields: object) -> ImportedLink:
    return ImportedLink("https://e.org/", highlights=highlights, **fields)  # type: ignore[arg-type]


def test_a_highlight_keeps_what_the_file_says() -> None:
    marked = ImportedHighlight(" words ", "why", THEN, Colour.RED, NOW, "the ", " here", 4)
    [found] = highlights_of(link(marked), now=NOW)
    assert found == NewHighlight(Quote("words", "the ", " here"), Colour.RED, "why", 4, THEN, NOW)


def test_highlights_are_not_in_the_note_but_what_was_written_beside_none_is() -> None:
    found = link(ImportedHighlight("words", "beside them"), ImportedHighlight("", "on the page"), note="mine")
    assert user_fields_of(found).note == "mine\n\non the page"


def test_a_highlight_without_a_date_has_that_of_its_link() -> None:
    [found] = highlights_of(link(ImportedHighlight("words"), added_at=THEN), now=NOW)
    assert (found.created_at, found.updated_at) == (THEN, THEN)


def test_a_date_in_the_future_is_now_and_one_from_before_the_web_is_none() -> None:
    ahead, absurd = datetime(2999, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)
    both = highlights_of(link(ImportedHighlight("a", created_at=ahead), ImportedHighlight("b", None, absurd)), now=NOW)
    assert [found.created_at for found in both] == [NOW, None]


def test_what_is_too_long_is_cut_and_a_quote_is_not_given_words_it_had_not() -> None:
    marked = ImportedHighlight("x" * (MAX_QUOTE + 1), "y" * (MAX_NOTE + 1), prefix="p" * 99, suffix="s" * 99)
    [found] = highlights_of(link(marked), now=NOW)
    assert found.quote == Quote("x" * MAX_QUOTE, "p" * 32, "s" * 32)
    assert found.note == "y" * (MAX_NOTE - 1) + "…"


def test_what_cannot_be_stored_is_left_out_of_words() -> None:
    [found] = highlights_of(link(ImportedHighlight("a\x00b\ud800", "\x00", prefix="\x00p")), now=NOW)
    assert (found.quote.exact, found.quote.prefix, found.note) == ("ab?", "p", None)


def test_a_page_has_no_more_highlights_than_a_page_may_have_and_none_twice() -> None:
    many = [ImportedHighlight(f"{number}") for number in range(MAX_PER_MEDIA + 10)]
    assert len(highlights_of(link(*many, *many), now=NOW)) == MAX_PER_MEDIA
    assert len(highlights_of(link(*[ImportedHighlight("same")] * 10), now=NOW)) == 1


def test_the_highlights_of_a_page_have_a_limit_together() -> None:
    many = [ImportedHighlight(f"{number:05}" + "x" * MAX_QUOTE) for number in range(300)]
    found = highlights_of(link(*many), now=NOW)
    assert sum(len(one.quote.exact) for one in found) == MAX_CHARACTERS_PER_MEDIA
