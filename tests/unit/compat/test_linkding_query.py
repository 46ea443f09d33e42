"""linkding's search language in Kept's."""

import pytest

from kept.compat.linkding.listing import BookmarkQuery, parse_query


@pytest.mark.parametrize(
    ("text", "searches"),
    [
        ("", ()),
        ("one two", ("one two",)),
        ("one and two", ("one two",)),
        ("one or two", ("one", "two")),
        ("not one", ("-one",)),
        ("not not one", ("one",)),
        ("not #tag", ('-tag:"tag"',)),
        ('"a phrase"', ('"a phrase"',)),
        ("(one or #two) three", ("one", 'tag:"two" three')),
        ("is:unread", ('"is:unread"',)),
        ("-x", ('"-x"',)),
        ("#", ("#",)),
        ("or or and not", ()),
    ],
)
def test_words_tags_and_operators(text: str, searches: tuple[str, ...]) -> None:
    assert parse_query(text).searches == searches


def test_tags_are_a_list_of_their_own_unless_there_are_alternatives() -> None:
    assert parse_query("#Tag and x #b") == BookmarkQuery(("x",), tags=("tag", "b"))
    assert parse_query("#\u200b").tags == ("\N{REPLACEMENT CHARACTER}",)


def test_marks_hold_for_the_whole_query() -> None:
    assert parse_query("!unread !untagged x") == BookmarkQuery(("x",), True, False)


def test_a_query_is_bounded() -> None:
    assert len(parse_query(" or ".join("abcdefghijklmnop")).searches) == 8
