"""The query language: what is understood, and that nothing is refused."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.content.search.query import MOST_TERMS, SearchQuery, Term, list_unknown_operators, parse_search
from kept.content.search.snippets import compile_terms, make_snippet, mark

pytestmark = pytest.mark.requirement(
    "Kept", "search: query language, scripts, accents, phrases, ranking, snippets, on both databases"
)


def words(query: SearchQuery) -> list[tuple[tuple[str, ...], bool]]:
    return [(term.tokens, term.ends_open) for term in query.wanted]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Harbour storm", [(("harbour",), False), (("storm",), True)]),
        ("harbour storm ", [(("harbour",), False), (("storm",), False)]),
        ('"along the harbour"', [(("along", "the", "harbour"), False)]),
        ('say "along the', [(("say",), False), (("along", "the"), False)]),
        ("„along the“ ", [(("along", "the"), False)]),
        ("e-mail ", [(("e", "mail"), False)]),
        ("harb* storm ", [(("harb",), True), (("storm",), False)]),
        ("東京都", [(("東京", "京都"), False)]),
        ("都 ", [(("都",), True)]),
        ("言語Python ", [(("言語", "語", "python"), False)]),
        ("author:ann ", [(("author", "ann"), False)]),
        ("tag: ", [(("tag",), False)]),
        ("is:sleepy ", [(("is", "sleepy"), False)]),
        ("storm storm ", [(("storm",), False)]),
    ],
)
def test_words_and_phrases(text: str, expected: list[tuple[tuple[str, ...], bool]]) -> None:
    assert words(parse_search(text)) == expected


def test_operators_are_taken_out_of_the_words() -> None:
    query = parse_search('tag:Sea -tag:"slow food" site:www.Example.org -site:bücher.example is:unread -is:archived x ')
    assert query.tags == ("sea",)
    assert query.unwanted_tags == ("slow food",)
    assert query.sites == ("example.org",)
    assert query.unwanted_sites == ("xn--bcher-kva.example",)
    assert (query.is_unread, query.is_archived, query.is_favourite, query.has_failed) == (True, False, None, None)
    assert words(query) == [(("x",), False)]


def test_dates_are_beginnings() -> None:
    query = parse_search("after:2026-02 before:2026-03-31")
    assert query.after == datetime(2026, 2, 1, tzinfo=UTC)
    assert query.before == datetime(2026, 3, 31, tzinfo=UTC)
    assert parse_search("-before:2026").after == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["lex", "lex is:unread", "lex -table", "is:unread lex", "tag:c lex -site:example.org"])
def test_a_filter_behind_the_last_word_leaves_it_a_beginning(text: str) -> None:
    assert [term.is_beginning for term in parse_search(text).wanted] == [True]


@pytest.mark.parametrize("text", ["lex ", "lex is:unread ", 'lex "a phrase"', "is:unread lex "])
def test_a_word_that_is_ended_is_whole(text: str) -> None:
    assert not any(term.is_beginning for term in parse_search(text).wanted)


def test_what_is_left_out_is_never_a_mere_beginning() -> None:
    assert [(term.tokens, term.ends_open) for term in parse_search("storm -sea").unwanted] == [(("sea",), False)]
    assert [(term.tokens, term.ends_open) for term in parse_search("storm -sea*").unwanted] == [(("sea",), True)]


@given(st.text(max_size=400))
def test_nothing_is_refused(text: str) -> None:
    query = parse_search(text)
    assert len(query.wanted) + len(query.unwanted) <= MOST_TERMS
    assert all(term.tokens for term in (*query.wanted, *query.unwanted))


@given(st.text(max_size=400), st.text(max_size=40))
def test_a_snippet_is_always_the_text_escaped_and_marked(text: str, asked: str) -> None:
    from html import unescape

    terms: tuple[Term, ...] = parse_search(asked).wanted
    marked = mark(text, compile_terms(terms))
    bare = marked.replace("<mark>", "").replace("</mark>", "")
    assert "<" not in bare
    assert unescape(bare) == unescape(text) or unescape(bare) == text
    snippet = make_snippet(text, terms)
    assert snippet is None or "<" not in snippet.replace("<mark>", "").replace("</mark>", "")


def test_in_highlights_is_a_place_and_any_other_place_is_words() -> None:
    assert parse_search("in:highlights storm ") == replace(parse_search("storm "), in_highlights=True)
    assert parse_search("in:Highlight").in_highlights is True
    assert parse_search("-in:highlights").in_highlights is False
    assert parse_search("in:titles ") == parse_search('"in titles" ')


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("harbour tag:news site:example.org is:unread before:2026-01", ()),
        ("author:ann storm", ("author:",)),
        ("-is:unred before:yesterday", ("is:unred", "before:yesterday")),
        ("https://example.org/a std::string 10:30 note:", ()),
        ('in:"a b" in:c', ("in:a b", "in:c")),
        ("", ()),
    ],
)
def test_what_looks_like_an_operator_and_is_none_is_told(text: str, unknown: tuple[str, ...]) -> None:
    assert list_unknown_operators(text) == unknown


@given(st.text())
def test_nothing_keeps_operators_from_being_told(text: str) -> None:
    list_unknown_operators(text)
