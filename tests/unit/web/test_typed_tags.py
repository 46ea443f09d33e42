"""Tags in one field, some of which have commas of their own."""

from kept.web.text import split_tags


def test_commas_separate_tags() -> None:
    assert split_tags("one, two words,three", []) == ("one", "two words", "three")


def test_a_tag_that_has_a_comma_stays_whole() -> None:
    shown = ["a,b", "food, drink", "food, drink, travel"]
    assert split_tags("new, food, drink, a,b, last", shown) == ("new", "food, drink", "a,b", "last")
    assert split_tags("food, drink, travel", shown) == ("food, drink, travel",)


def test_a_tag_that_was_taken_out_of_the_field_is_gone() -> None:
    assert split_tags("food, travel", ["food, drink"]) == ("food", "travel")


def test_a_field_that_is_too_long_for_tags_is_not_gone_through_tag_by_tag() -> None:
    typed = split_tags("," * 2_000_000, ["a," * 30])
    assert set(typed) == {""}
