"""Where a passage of a page's old copy is in its new one."""

import pytest

from kept.content.article.highlights.alignment import MAX_LETTERS, Copies
from kept.content.article.highlights.anchoring import TextIndex
from kept.domain.highlight import Span
from support.hostile.slow_texts import at_most

FIRST = "The harbour was quiet, and nobody who walked along it thought of the storm to come."
REFRAIN = "Row, row, row your boat, gently down the stream, merrily all the way until the morning comes."
SECOND = "By noon the wind had turned, and the pilots would not take a ship past the breakwater."
LAST = "In the evening the bells rang until everybody on the quay had heard what had happened."
OLD = "\n\n".join([FIRST, REFRAIN, SECOND, REFRAIN, LAST])
SECOND_REFRAIN = OLD.rindex(REFRAIN)


def follow(new: str, start: int, length: int, old: str = OLD) -> int | None:
    """Where it begins in the new copy; its words must be there."""
    span = Copies(TextIndex(old), TextIndex(new)).follow(Span(start, start + length))
    if span is None:
        return None
    assert new[span.start : span.end] == old[start : start + length].strip()
    return span.start


def test_of_two_passages_that_say_the_same_each_stays_itself() -> None:
    new = "\n\n".join(["Something new stands here.", FIRST, REFRAIN, SECOND, REFRAIN, LAST])
    assert follow(new, OLD.index(REFRAIN) + 5, 20) == new.index(REFRAIN) + 5
    assert follow(new, SECOND_REFRAIN + 5, 20) == new.rindex(REFRAIN) + 5


def test_a_passage_that_says_the_same_as_another_is_known_by_what_stands_on_both_sides() -> None:
    new = "\n\n".join([SECOND, REFRAIN, LAST, FIRST, REFRAIN])
    assert follow(new, SECOND_REFRAIN + 5, 20) == new.index(REFRAIN) + 5
    assert follow(new, OLD.index(REFRAIN) + 5, 20) is None, "any refrain may be the one that comes last now"


def test_a_passage_that_is_gone_is_not_taken_for_its_twin() -> None:
    new = "\n\n".join([FIRST, REFRAIN, SECOND, LAST])
    assert follow(new, SECOND_REFRAIN + 5, 20) is None
    assert follow(new, SECOND_REFRAIN, len(REFRAIN)) is None


def test_a_twin_that_may_be_either_is_neither() -> None:
    """What was before the first refrain is now right before what was after the second."""
    new = "\n\n".join([FIRST, REFRAIN, LAST])
    assert follow(new, OLD.index(REFRAIN) + 5, 20) is None
    assert follow(new, SECOND_REFRAIN + 5, 20) is None
    assert follow(new, OLD.index("storm"), 5) == new.index("storm")


def test_a_word_that_stands_twice_is_found_between_words_that_changed() -> None:
    new = OLD.replace("nobody who walked", "no one who walked").replace("along it", "along the quay")
    assert follow(new, OLD.index("walked"), 6) == new.index("walked")


def test_quotation_marks_dashes_and_soft_hyphens_may_change() -> None:
    old = f"{FIRST}\n\n“It will pass,” said the pilot – he had seen worse than this one, long ago.\n\n{LAST}"
    new = old.replace("“", '"').replace("”", '"').replace("–", "--").replace("pilot", "pi\xadlot")
    start = old.index("“It will")
    span = Copies(TextIndex(old), TextIndex(new)).follow(Span(start, old.index("said the pilot") + 14))
    assert span is not None
    assert new[span.start : span.end] == '"It will pass," said the pi\xadlot'


def test_the_first_letters_of_a_paragraph_are_not_those_of_another_that_took_its_place() -> None:
    paragraph, other = "The boats lay still.", "The boards were wet."
    old = f"{FIRST}\n\n{paragraph} {SECOND}\n\n{other} {LAST}"
    new = f"{FIRST}\n\n{other} {LAST}\n\n{paragraph} {SECOND}"
    assert follow(new, old.index(paragraph), 6, old) in (new.index(paragraph), None)
    assert follow(new, old.index(other), 6, old) in (new.index(other), None)


@pytest.mark.parametrize("new", ["", "x", "“…”", "Nothing of it is left here. " * 20])
def test_what_is_not_there_is_not_found(new: str) -> None:
    assert follow(new, 0, 20) is None
    assert follow("x", 0, 1, "…") is None


HARD = {
    "one letter": ("a" * MAX_LETTERS, "a" * MAX_LETTERS),
    "two letters": ("ab" * (MAX_LETTERS // 2), "ba" * (MAX_LETTERS // 2)),
    "nearly": ("abcdefghij" * (MAX_LETTERS // 10), "abcdefghix" * (MAX_LETTERS // 10)),
    "lines": ("a\n" * MAX_LETTERS, "a\n" * MAX_LETTERS),
    "turned round": ("".join(map(str, range(40_000))), "".join(map(str, range(40_000, 0, -1)))),
}


@pytest.mark.parametrize("kind", HARD)
def test_no_two_copies_take_long_to_compare(kind: str) -> None:
    old, new = HARD[kind]
    copies = Copies(TextIndex(old), TextIndex(new))
    assert copies.can_be_compared
    with at_most(5):
        for start in range(0, len(old) - 100, len(old) // 50):
            copies.follow(Span(start, start + 50))


def test_texts_beyond_the_limit_are_not_compared() -> None:
    assert not Copies(TextIndex("a" * (MAX_LETTERS + 1)), TextIndex("a")).can_be_compared
