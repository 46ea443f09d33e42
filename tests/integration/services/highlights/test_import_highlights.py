"""Highlights that come with a file: added once, with their times, within the limit."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kept.clock import utc_now
from kept.content.article.highlights.anchoring import quote_at
from kept.domain import highlight
from kept.domain.highlight import Colour, NewHighlight, Quote, Span, parse_quote
from kept.services.highlights.highlights import HighlightChange, change_highlight
from support.builders.highlights import anchor_waiting, bring, list_on
from support.builders.libraries import Owner

pytestmark = pytest.mark.requirement("Kept", "imported highlights are added once and found later")

TEXT = "Nobody thought of the storm.\nThe boats lay still."
THEN = datetime(2019, 5, 6, 7, 8, 9, tzinfo=UTC)
STORM = NewHighlight(parse_quote("of the  storm"), Colour.GREEN, "seen", created_at=THEN)
BOATS = NewHighlight(parse_quote("The boats"))


async def test_a_file_imported_again_adds_nothing(owner: Owner) -> None:
    card = await owner.keep("https://example.org/a", "A", TEXT)
    for _ in range(2):
        bring(owner, card, STORM, BOATS, STORM)
        await anchor_waiting(owner.database)
    first, second = list_on(owner, card.media.id)
    assert (first.colour, first.note, first.created_at, first.updated_at) == (Colour.GREEN, "seen", THEN, THEN)
    assert second.quote.exact == "The boats"


async def test_what_was_changed_here_is_still_known_by_its_time(owner: Owner) -> None:
    card = await owner.keep("https://example.org/a", "A", TEXT)
    bring(owner, card, STORM)
    [made] = list_on(owner, card.media.id)
    change = HighlightChange(Colour.RED, "my own", changes_note=True)
    await owner.database.write(change_highlight, owner.viewer, made.id, change, now=utc_now())
    bring(owner, card, STORM)
    assert [one.note for one in list_on(owner, card.media.id)] == ["my own"]


async def test_equal_words_at_different_places_are_different_highlights(owner: Owner) -> None:
    text = "one two three blind mice ran past one two four blue birds that flew"
    card = await owner.keep("https://example.org/a", "A", text)
    starts = [0, text.rindex("one two")]
    places = [quote_at(text, Span(start, start + 7)) for start in starts]
    for _ in range(2):
        bring(owner, card, *(NewHighlight(quote, created_at=THEN) for quote in places))
        await anchor_waiting(owner.database)
    assert [one.span.start for one in list_on(owner, card.media.id) if one.span] == starts


async def test_two_marked_at_different_times_are_two(owner: Owner) -> None:
    card = await owner.save("https://example.org/a")
    bring(owner, card, STORM, replace(STORM, created_at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert len(list_on(owner, card.media.id)) == 2


async def test_what_goes_beyond_the_limit_is_left_out(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "MAX_PER_MEDIA", 50)
    card = await owner.save("https://example.org/a")
    bring(owner, card, *(NewHighlight(Quote(str(number))) for number in range(60)))
    bring(owner, card, NewHighlight(Quote("one more")))
    assert len(list_on(owner, card.media.id)) == 50


async def test_everybody_has_their_own(owner: Owner, other_owner: Owner) -> None:
    card = await owner.keep("https://example.org/a", "A", TEXT)
    theirs = await other_owner.save("https://example.org/a")
    bring(owner, card, STORM)
    bring(other_owner, theirs, STORM)
    assert [len(list_on(who, card.media.id)) for who in (owner, other_owner)] == [1, 1]
