"""Readeck's search strings, as its server reads them."""

from kept.compat.readeck.lists import SearchTerm, find_words, parse_terms, spell_search
from kept.domain.synced import WordField, WordTerm


def test_words_phrases_fields_stars_and_a_minus_are_told_apart() -> None:
    assert parse_terms('storm -"quiet harbour" title:wind* -label:"to read"') == [
        SearchTerm("storm"),
        SearchTerm("quiet harbour", is_excluded=True, is_phrase=True),
        SearchTerm("wind", "title", is_beginning=True),
        SearchTerm("to read", "label", is_excluded=True, is_phrase=True),
    ]


def test_a_field_of_its_own_knows_no_other() -> None:
    assert parse_terms("site:a b", "title") == [SearchTerm("site:a", "title"), SearchTerm("b", "title")]
    assert find_words(parse_terms("a", "author")) == (WordTerm(WordField.AUTHOR, "a"),)


def test_what_looks_like_an_operator_of_kept_is_words() -> None:
    assert spell_search(parse_terms('tag:x https://a.example is:read - "-y"')) == (
        '"tag:x" "https://a.example" "is:read" "-" "-y"'
    )


def test_every_text_means_something_and_none_too_much() -> None:
    for text in ("", '"', '""', "-", "*", "title:", 'title:"', "a" * 5_000, "a " * 5_000, "👩‍💻*"):
        assert len(parse_terms(text)) <= 16
        assert len(spell_search(parse_terms(text))) <= 1_100
