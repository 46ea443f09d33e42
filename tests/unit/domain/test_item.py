"""The rules of what people say of an item: filling gaps, joining notes, uniting reading states, cleaning tags."""

import pytest

from kept.domain.errors import InvalidRequest
from kept.domain.item import (
    MAX_NOTE,
    MAX_TAGS,
    ReadingState,
    UserFields,
    fill_gaps,
    join_notes,
    parse_tags,
    parse_user_fields,
    require_room_for_note,
    unite_reading_states,
)
from support.builders.values import make_item, minutes


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (None, None, None),
        ("a", None, "a"),
        (None, "b", "b"),
        ("a", "b", "a\n\nb"),
        ("a", "a", "a"),
        ("a\n\nb", "b", "a\n\nb"),
        ("a\n\nb\n\nc", "b\n\nc", "a\n\nb\n\nc"),
        ("b", "a\n\nb", "a\n\nb"),
    ],
)
def test_notes_are_joined_and_nothing_is_said_twice(first: str | None, second: str | None, joined: str | None) -> None:
    assert join_notes(first, second) == joined


def test_a_note_that_is_only_part_of_a_paragraph_is_not_taken_for_said() -> None:
    assert join_notes("bananas", "banana") == "bananas\n\nbanana"


def test_joining_the_same_note_again_and_again_does_not_grow_it() -> None:
    note: str | None = "to read on the train"
    for _ in range(3):
        note = join_notes(note, "to read on the train")
    assert note == "to read on the train"


def test_what_an_item_says_stays_and_its_gaps_are_filled() -> None:
    item = make_item(title="mine", note="first")
    filled = fill_gaps(item, UserFields(title="theirs", excerpt="an excerpt", note="second"))
    assert (filled.title, filled.excerpt, filled.note) == ("mine", "an excerpt", "first\n\nsecond")


def test_filling_gaps_with_nothing_changes_nothing() -> None:
    item = make_item(title="mine", excerpt="an excerpt", note="a note")
    assert fill_gaps(item, UserFields()) == item
    assert fill_gaps(item, item) == item


def test_of_two_reading_states_the_better_is_kept_and_archived_must_be_both() -> None:
    first = ReadingState(is_favourite=True, is_archived=True, read_at=minutes(5), progress=0.2)
    second = ReadingState(is_archived=False, read_at=minutes(3), progress=0.7)
    assert unite_reading_states(first, second) == ReadingState(True, False, minutes(3), 0.7)
    assert unite_reading_states(second, first) == unite_reading_states(first, second)


def test_uniting_with_an_unread_state_keeps_the_time_of_reading() -> None:
    read = ReadingState(read_at=minutes(1))
    assert unite_reading_states(read, ReadingState()).read_at == minutes(1)


def test_tags_are_lower_case_sorted_and_each_there_once() -> None:
    assert parse_tags(["  Two   Words ", "a", "A", "two words", " "]) == ("a", "two words")


@pytest.mark.parametrize("tag", ["x" * 65, "a\x00b", "line\x07bell"])
def test_a_tag_that_is_too_long_or_not_printable_is_refused(tag: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_tags([tag])


def test_a_tag_may_be_an_emoji_of_several_or_a_persian_word() -> None:
    assert parse_tags(["\U0001f469\u200d\U0001f4bb", "می‌خواهم"]) == ("می‌خواهم", "\U0001f469\u200d\U0001f4bb")


def test_an_item_has_a_limited_number_of_tags() -> None:
    assert len(parse_tags(f"t{number}" for number in range(MAX_TAGS))) == MAX_TAGS
    with pytest.raises(InvalidRequest):
        parse_tags(f"t{number}" for number in range(MAX_TAGS + 1))


def test_white_space_alone_is_nothing_and_too_much_is_refused() -> None:
    assert parse_user_fields("  ", None, " a note ", []) == UserFields(note="a note")
    with pytest.raises(InvalidRequest):
        parse_user_fields(None, None, "x" * (MAX_NOTE + 1), [])


def test_joined_notes_stay_within_the_limit() -> None:
    joined = join_notes("a" * MAX_NOTE, "b")
    assert joined is not None
    assert len(joined) == MAX_NOTE
    assert joined.endswith("…")
    assert join_notes("a" * (MAX_NOTE - 3), "b") == "a" * (MAX_NOTE - 3) + "\n\nb"


def test_a_note_that_no_longer_fits_is_refused_where_somebody_adds_it() -> None:
    require_room_for_note("a" * (MAX_NOTE - 3), "b")
    require_room_for_note("a" * MAX_NOTE, "a" * MAX_NOTE)
    with pytest.raises(InvalidRequest):
        require_room_for_note("a" * MAX_NOTE, "b")
