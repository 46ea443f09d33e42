"""Tokens: what both databases index."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kept.content.search.words import LONGEST_TOKEN, NO_LETTERS, fold, index_words, list_tokens

pytestmark = pytest.mark.requirement(
    "Kept", "search: query language, scripts, accents, phrases, ranking, snippets, on both databases"
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick, brown_fox's den.", ["the", "quick", "brown", "fox", "s", "den"]),
        ("Crème BRÛLÉE, Straße, Łódź", ["creme", "brulee", "strasse", "lodz"]),
        ("smørrebrød, Ísland", ["smorrebrod", "island"]),
        ("e\u0301te\u0301", ["ete"]),
        ("Ελλάδα Йод", ["ελλαδα", "иод"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("東京都", ["東京", "京都", "都"]),
        ("が か", ["が", "か"]),
        ("iPhone手机15", ["iphone", "手机", "机", "15"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ﬁne ① x²", ["fine", "1", "x2"]),
        ("a" * 65 + " b", ["b"]),
        ("… — !", []),
    ],
)
def test_words_are_folded_and_paired(text: str, tokens: list[str]) -> None:
    assert list_tokens(text) == tokens


@given(st.text(max_size=300))
def test_whatever_the_text_tokens_are_safe_to_hand_to_a_database(text: str) -> None:
    for token in list_tokens(text):
        assert 0 < len(token) <= LONGEST_TOKEN
        assert not re.search(r"[\s'\"\\:&|!()<*]", token)
        assert not re.search("[\ud800-\udfff\x00]", token)


@given(st.text(max_size=100))
@example("㏗ ㎅")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert list_tokens(fold(text)) == list_tokens(text)


@pytest.mark.parametrize("sign", NO_LETTERS)
def test_a_text_without_other_letters_than_ascii_is_folded_as_any_other(sign: str) -> None:
    assert fold(f"A{sign}b") + "e" == fold(f"A{sign}bé")


def test_nothing_has_no_words() -> None:
    assert index_words(None, "", "  ") == ""
    assert index_words("One", None, "two") == "one two"


def test_a_character_that_stands_for_words_is_found_by_them_unless_there_is_little_else() -> None:
    assert "الله" in list_tokens("محمد \ufdfa رسول")
    assert list_tokens("word " + "\ufdfa" * 100_000) == ["word"]
