"""Where a term stands in a text: as one expression with every letter of Unicode in it would find it, without that."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kept.content.search.query import Term, parse_search
from kept.content.search.snippets import compile_term, make_snippet
from kept.content.search.words import LETTER

PIECES = st.sampled_from(["ab", "a", "b", " ", "-", "_", "!", "漢", "字", "ก", "\u0301", "\n", "क", "\u093f"])
TEXTS = st.lists(PIECES, max_size=24).map("".join)
WORDS = st.sampled_from([("a", False), ("ab", False), ("b", False), ("漢", True), ("漢字", True), ("क\u093f", False)])
TERMS = st.builds(Term, st.lists(WORDS, min_size=1, max_size=3).map(tuple), st.booleans())


def spell(term: Term) -> str:
    first, *others = (re.escape(run) for run, _ in term.runs)
    begin = first if term.runs[0][1] else f"{first}(?<!{LETTER.pattern}{first})"
    end = "" if term.runs[-1][1] else f"(?:{LETTER.pattern})*" if term.is_beginning else f"(?!{LETTER.pattern})"
    return r"[\W_]*".join([begin, *others]) + end


@given(TERMS, TEXTS)
def test_a_term_is_found_where_its_expression_finds_it(term: Term, text: str) -> None:
    expected = [found.span() for found in re.finditer(spell(term), text)]
    assert list(compile_term(term).find(text)) == expected


def test_of_words_that_overlap_the_phrase_is_marked_as_a_whole() -> None:
    terms = parse_search('"harbour wall" harbour ').wanted
    assert make_snippet("The harbour wall of a harbour.", terms) == (
        "The <mark>harbour wall</mark> of a <mark>harbour</mark>."
    )


def test_a_word_is_found_without_its_accents_in_the_line_that_has_them() -> None:
    text = "Plain words – “many”…\nUn Café noir.\nMore words"
    assert make_snippet(text, parse_search("cafe ").wanted) == "Un <mark>Café</mark> noir."


def test_the_line_that_says_most_of_the_words_is_shown_though_only_one_has_accents() -> None:
    text = "A café.\nSugar, and a ÉCLAIR.\nSugar"
    assert make_snippet(text, parse_search("sugar eclair ").wanted) == "<mark>Sugar</mark>, and a <mark>ÉCLAIR</mark>."
