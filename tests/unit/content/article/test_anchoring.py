"""Where a quote stands: as a browser hands it over, and in another copy of the page."""

import random

import pytest

from kept.content.article.highlights.anchoring import TextIndex, find_quote, quote_at, reanchor
from kept.domain.highlight import CONTEXT_LENGTH, Quote, Span
from support.hostile.slow_texts import at_most

pytestmark = pytest.mark.requirement("Kept", "highlights are found in a rewritten copy (≥ 95 %), none wrongly")

TEXT = (
    "The harbour was quiet.\n\n"
    "Nobody who walked along it thought of the storm to come. “It will pass,” said the pilot – he had seen worse.\n\n"
    "Item one\nItem two\n\n"
    "Name\tAge\nAnn\t7\n\n"
    "The harbour was loud. Nobody slept, and the bells rang until the morning came over the hills."
)


def found(text: str, exact: str, prefix: str = "", suffix: str = "", hint: int | None = None) -> str | None:
    span = find_quote(text, Quote(exact, prefix, suffix), hint)
    return text[span.start : span.end] if span else None


def start_of(text: str, exact: str, prefix: str = "", suffix: str = "", hint: int | None = None) -> int | None:
    span = find_quote(text, Quote(exact, prefix, suffix), hint)
    return span.start if span else None


# --- marking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact", "words"),
    [
        ("walked along", "walked along"),
        ("  walked \n along ", "walked along"),
        ("quiet.\nNobody", "quiet.\n\nNobody"),
        ("Item one\n\n\nItem two", "Item one\nItem two"),
        ("Name Age\n\n  Ann 7", "Name\tAge\nAnn\t7"),
        ("storm\xa0to\u3000come", "storm to come"),
        ("har\xadbour was quiet", "harbour was quiet"),
    ],
)
def test_white_space_and_soft_hyphens_do_not_count(exact: str, words: str) -> None:
    assert found(TEXT, exact) == words


def test_a_soft_hyphen_in_the_text_does_not_count_either() -> None:
    assert found("the har\xadbour at night", "harbour at") == "har\xadbour at"


def test_letters_are_compared_in_their_normal_form() -> None:
    assert found("the café at night", "cafe\u0301 at") == "café at"


def test_a_letter_is_found_whole_though_its_accent_was_not_selected() -> None:
    """They may stand in two elements."""
    assert found("the café at night", "the cafe", suffix="\u0301 at night") == "the café"
    assert found("the café at night", "\u0301 at", prefix="the cafe") == "é at"


@pytest.mark.parametrize("exact", ["walked Along", "“It will pass”", 'It will pass," said', "", " \n", "\xad"])
def test_what_is_not_there_is_not_found(exact: str) -> None:
    assert find_quote(TEXT, Quote(exact)) is None


def test_a_line_break_where_the_text_has_none_does_not_count_in_a_long_quote() -> None:
    """An image set as a block parts two words in a browser; in the text it is nothing."""
    assert found("a long sentence before theafter it", "sentence before the\nafter it") == "sentence before theafter it"


def test_two_words_are_not_found_in_one() -> None:
    assert found("it was nowhere to be seen", "now here") is None


def test_of_several_places_the_context_chooses() -> None:
    second = TEXT.rindex("The harbour was")
    assert start_of(TEXT, "The harbour was", suffix=" loud. Nobody") == second
    assert start_of(TEXT, "The harbour was", prefix="Age\nAnn\t7\n\n", hint=0) == second
    assert start_of(TEXT, "The harbour was", suffix=" quiet.", hint=len(TEXT)) == 0


def test_of_several_places_with_equal_context_the_hint_chooses() -> None:
    text = "again and again and again and again"
    assert [start_of(text, "again", hint=hint) for hint in (0, 9, 17, 31)] == [0, 10, 20, 30]
    assert start_of(text, "again") == 0


def test_a_letter_that_stands_everywhere_is_found_near_the_hint() -> None:
    text = "e " * 50_000
    assert start_of(text, "e", hint=70_000) == 70_000


def test_a_context_longer_than_is_kept_is_cut() -> None:
    before, after = TEXT[: TEXT.index("pilot")], TEXT[TEXT.index("pilot") + 5 :]
    assert found(TEXT, "pilot", "x" * 1_000 + before[-CONTEXT_LENGTH:], after[:CONTEXT_LENGTH] + "x" * 1_000) == "pilot"


def test_a_hint_may_be_anything() -> None:
    for hint in (-5, 0, len(TEXT), 10**12):
        assert found(TEXT, "pilot", hint=hint) == "pilot"


def test_a_quote_has_its_context_from_the_text() -> None:
    start = TEXT.index("pilot")
    quote = quote_at(TEXT, Span(start, start + 5))
    assert quote.exact == "pilot"
    assert quote.prefix == TEXT[start - 32 : start]
    assert quote.suffix == TEXT[start + 5 : start + 37]
    assert quote_at("abc", Span(0, 3)) == Quote("abc", "", "")


# --- another copy -----------------------------------------------------------------------------------------------------


def again(copy: str, words: str, original: str = TEXT) -> str | None:
    """The words as they stand in the original, found again in a copy."""
    start = original.index(words)
    span = reanchor(copy, quote_at(original, Span(start, start + len(words))), start)
    return copy[span.start : span.end] if span else None


def test_a_quote_is_found_in_the_same_text() -> None:
    assert again(TEXT, "said the pilot") == "said the pilot"
    assert again(TEXT, "Item two\n\nName\tAge") == "Item two\n\nName\tAge"


def test_a_quote_is_found_where_its_paragraph_has_moved() -> None:
    paragraphs = TEXT.split("\n\n")
    moved = "\n\n".join([paragraphs[-1], *paragraphs[:-1]])
    assert again(moved, "thought of the storm to come") == "thought of the storm to come"


def test_quotation_marks_dashes_and_soft_hyphens_do_not_count_in_another_copy() -> None:
    copy = TEXT.replace("“", '"').replace("”", '"').replace(" – ", " -- ").replace("pilot", "pi\xadlot")
    assert again(copy, "“It will pass,” said the pilot – he") == '"It will pass," said the pi\xadlot -- he'
    assert again(copy, "“It will pass,”") == '"It will pass,"'


def test_a_quote_with_a_word_changed_is_found_by_its_context() -> None:
    copy = TEXT.replace("who walked along it", "who strolled along it")
    assert again(copy, "Nobody who walked along it thought of the storm") == (
        "Nobody who strolled along it thought of the storm"
    )


def test_a_changed_word_at_the_end_of_a_quote_is_of_the_quote() -> None:
    copy = TEXT.replace("thought of the storm to", "thought of the tempest to")
    assert again(copy, "Nobody who walked along it thought of the storm") == (
        "Nobody who walked along it thought of the tempest"
    )


def test_a_word_is_found_among_its_likes_by_its_context() -> None:
    copy = TEXT.replace("The harbour was quiet.", "The harbour lay still.")
    assert again(copy, "harbour was loud") == "harbour was loud"


@pytest.mark.parametrize("words", ["said the pilot", "Nobody who walked along it thought of the storm to come."])
def test_a_quote_that_was_taken_out_is_not_found(words: str) -> None:
    assert again(TEXT.replace(words, "x"), words) is None


def test_a_short_quote_is_not_taken_for_another_one_elsewhere() -> None:
    """ "Nobody" of the second paragraph is gone; that of the last is not it."""
    copy = TEXT.replace("Nobody who walked along it thought of the storm to come.", "All was well.")
    start = TEXT.index("Nobody")
    assert reanchor(copy, quote_at(TEXT, Span(start, start + 6)), start) is None


def test_a_quote_without_context_is_found_if_it_stands_there_once() -> None:
    assert reanchor(TEXT, Quote("pilot")) == Span(TEXT.index("pilot"), TEXT.index("pilot") + 5)
    assert reanchor(TEXT, Quote("harbour")) is None


def test_a_sentence_without_context_that_stands_there_twice_is_the_first_or_the_nearest() -> None:
    sentence = "A sentence that the page shows twice, once as a pull quote."
    text = f"{sentence}\n\nSomething else.\n\n{sentence}"
    assert reanchor(text, Quote(sentence)) == Span(0, len(sentence))
    assert reanchor(text, Quote(sentence), len(text)) == Span(text.rindex(sentence), len(text))


def test_a_long_quote_with_changes_is_found_by_its_beginning_middle_and_end() -> None:
    text = write_text(3_000)
    start = text.index(" ", 2_000) + 1
    end = text.index(" ", 14_000)
    words = text.split(" ")
    for place in range(7, len(words), 40):
        words[place] = "changed"
    copy = " ".join(words)
    span = reanchor(copy, quote_at(text, Span(start, end)), start)
    assert span is not None
    expected = len(" ".join(words[: text[:start].count(" ")])) + 1
    assert abs(span.start - expected) <= 10
    assert abs((span.end - span.start) - (end - start)) < 0.05 * (end - start)


def test_a_long_quote_whose_middle_was_rewritten_is_not_found() -> None:
    text = write_text(3_000)
    copy = text[:5_000] + write_text(700, seed=2)[:4_000] + text[9_000:]
    assert reanchor(copy, quote_at(text, Span(2_001, 12_000)), 2_001) is None


def write_text(count: int, seed: int = 1) -> str:
    dice = random.Random(seed)
    return " ".join("".join(dice.choices("abcdefghijklmnop", k=dice.randint(2, 9))) for _ in range(count))


# --- cost -------------------------------------------------------------------------------------------------------------

MEGABYTE = 1_000_000
HARD = {
    "one letter": ("a" * MEGABYTE, "a" * 19_999 + "b"),
    "one letter, the other end": ("a" * MEGABYTE, "b" + "a" * 19_999),
    "everywhere": ("a" * MEGABYTE, "a" * 20_000),
    "a letter": ("a" * MEGABYTE, "a"),
    "two letters": ("ab" * (MEGABYTE // 2), "ab" * 9_999 + "bb"),
    "nothing but dots": ("." * MEGABYTE, "." * 20_000),
    "soft hyphens": ("\xad" * MEGABYTE, "\xad" * 20_000),
    "white space": ("a " * (MEGABYTE // 2), "a\n" * 10_000),
    "marks": ("a" + "\u0301" * MEGABYTE, "a" + "\u0323\u0301" * 9_999),
    "nearly": ("abcdefghij" * (MEGABYTE // 10), "abcdefghij" * 1_999 + "abcdefghix"),
}


@pytest.mark.parametrize("kind", HARD)
def test_no_quote_takes_long_to_look_for(kind: str) -> None:
    text, exact = HARD[kind]
    index = TextIndex(text)
    with at_most(5):
        for _ in range(3):
            index.find_quote(Quote(exact, exact[:32], exact[:32]), 500_000)
            index.reanchor(Quote(exact, exact[:32], exact[:32]), 500_000)
