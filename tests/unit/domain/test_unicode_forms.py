"""Unicode's normal forms: the same as Python's, and linear."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.domain.account import parse_user_name
from kept.domain.errors import InvalidRequest
from kept.domain.item import MAX_TAG, parse_tag
from kept.domain.text import Form, normalise, normalise_within

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
# Marks of several classes in an order that must be changed; the last two are marks in the compatible forms only.
TOWERS = ("\u0301\u0323", "\u0344\u0323", "\u0323\u0301\u0327\u0308", "\u0323\uff9e", "\u3099\uff9f\u0323")
# Of processor time; sorting by insertion takes minutes.
LIMIT_SECONDS = 5


@given(st.text("aeﬁ\u0301\u0323\u0308\u0344\u0327 \u1100\u1161漢ｶﾞ\uff9e\u3099", max_size=200), st.sampled_from(FORMS))
def test_the_form_is_unicodes(text: str, form: Form) -> None:
    assert normalise(text, form) == unicodedata.normalize(form, text)


@given(st.text(max_size=100), st.sampled_from(FORMS))
def test_the_form_of_any_text_is_unicodes(text: str, form: Form) -> None:
    assert normalise(text, form) == unicodedata.normalize(form, text)


@pytest.mark.parametrize(
    ("first", "last"), [(0, 0x7F), (0x3000, 0x3029), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x4E00, 0x9FFF)]
)
def test_what_ends_a_run_of_marks_is_none(first: int, last: int) -> None:
    for character in map(chr, range(first, last + 1)):
        assert not any(unicodedata.combining(unicodedata.normalize(form, character)[0]) for form in FORMS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tower", TOWERS, ids=ascii)
def test_half_a_million_marks_on_one_letter_take_their_length_in_time(form: Form, tower: str) -> None:
    text = "a" + tower * (500_000 // len(tower))
    started = time.process_time()
    normalise(text, form)
    assert time.process_time() - started < LIMIT_SECONDS


def test_no_composition_joins_more_than_four_characters() -> None:
    """What `normalise_within` refuses without a look could not have become short enough."""
    assert max(len(unicodedata.normalize("NFD", chr(code))) for code in range(0x110000)) == 4


def test_a_text_is_refused_before_its_form_is_made() -> None:
    assert normalise_within("e\u0301" * 10, "NFC", 10) == "é" * 10
    assert normalise_within("e\u0301" * 11, "NFC", 10) is None
    assert normalise_within("a" * 10_000_000, "NFC", 10) is None


def test_a_name_of_marks_is_refused_at_once() -> None:
    started = time.process_time()
    with pytest.raises(InvalidRequest):
        parse_user_name("a" + "\u0301\u0323" * 250_000)
    assert time.process_time() - started < LIMIT_SECONDS


def test_a_tag_of_marks_is_refused_at_once() -> None:
    started = time.process_time()
    with pytest.raises(InvalidRequest):
        parse_tag("a" + "\u0301\u0323" * 250_000)
    assert time.process_time() - started < LIMIT_SECONDS


def test_a_tag_may_be_written_with_separate_accents() -> None:
    assert parse_tag("e\u0301" * MAX_TAG) == "é" * MAX_TAG
    assert parse_tag("  New \n  York ") == "new york"
