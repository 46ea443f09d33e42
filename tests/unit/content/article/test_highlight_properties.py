"""Promises of highlights that hold for any article and any span."""

from uuid import UUID

import nh3
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.anchoring import find_quote, quote_at, reanchor
from kept.content.article.highlights.marking import mark_highlights
from kept.content.article.highlights.text_map import TextMap, map_text
from kept.content.article.safe_html import KEPT_TAGS, MATH_TAGS, SafeHtml
from kept.domain.highlight import Colour, Mark, Span
from kept.domain.text import normalise
from support.builders.markup import ATTRIBUTES, safe_markup
from support.fixtures.marks import pieces_of, read_marks, remove_marks

pytestmark = pytest.mark.requirement("Kept", "marks change nothing else in any markup")

spans = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6)


def choose(text: str, fractions: list[tuple[float, float]]) -> list[Span]:
    """Some spans of the text."""
    ends = [sorted((round(one * len(text)), round(other * len(text)))) for one, other in fractions]
    return [Span(start, end) for start, end in ends if start < end]


def make_marks(chosen: list[Span]) -> list[Mark]:
    colours = list(Colour)
    return [
        Mark(UUID(int=number + 1), span, colours[number % 4], has_note=number % 2 == 0)
        for number, span in enumerate(chosen)
    ]


def can_be_marked(text_map: TextMap, span: Span) -> Span | None:
    """The span without white space at its ends, and with the whole of every letter that it has a part of.

    An accent that stands apart from its letter in the markup, and the composed letter of the text, are one.
    """
    trimmed = text_map.trim(span)
    if trimmed is None:
        return None
    touched = [stretch for stretch in text_map.stretches if stretch.start < trimmed.end and trimmed.start < stretch.end]
    whole = [stretch for stretch in touched if stretch.is_whole]
    return Span(
        min([trimmed.start, *(stretch.start for stretch in whole)]),
        max([trimmed.end, *(stretch.end for stretch in whole)]),
    )


def letters(text: str) -> str:
    return "".join(text.split())


def unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&amp;", "&")


@given(safe_markup)
def test_the_map_has_the_canonical_text_and_every_letter_of_it(html: SafeHtml) -> None:
    text_map = map_text(html)
    assert text_map.text == str(canonical_text(html))
    mapped: set[int] = set()
    for stretch in text_map.stretches:
        source = unescape(str(html)[stretch.markup_start : stretch.markup_end])
        mapped.update(range(stretch.start, stretch.end))
        if not stretch.is_whole:
            assert letters(source) == letters(text_map.text[stretch.start : stretch.end])
            assert len(source) == stretch.end - stretch.start
    assert all(place in mapped or letter.isspace() for place, letter in enumerate(text_map.text))


@given(safe_markup, spans)
def test_marking_and_reading_the_marks_back_gives_the_spans(
    html: SafeHtml, fractions: list[tuple[float, float]]
) -> None:
    assume("<math" not in str(html))  # a part of a formula is marked as the whole formula
    text_map = map_text(html)
    marks = make_marks(choose(text_map.text, fractions))
    expected = {mark.id: span for mark in marks if (span := can_be_marked(text_map, mark.span))}
    marked = str(mark_highlights(html, marks))
    assert read_marks(marked) == expected
    for id, pieces in pieces_of(marked).items():
        span = expected[id]
        inside = normalise(letters(unescape("".join(pieces))), "NFC")
        assert inside == normalise(letters(text_map.text[span.start : span.end]), "NFC")


@given(safe_markup, spans)
def test_marks_change_nothing_but_what_they_add(html: SafeHtml, fractions: list[tuple[float, float]]) -> None:
    marks = make_marks(choose(str(canonical_text(html)), fractions))
    marked = mark_highlights(html, marks)
    assert remove_marks(str(marked)) == str(html)
    assert str(canonical_text(marked)) == str(canonical_text(html))
    assert (marked == html) == (SafeHtml.admit(str(marked)) is not None)


@given(safe_markup, spans)
def test_parsers_leave_marked_markup_as_it_is(html: SafeHtml, fractions: list[tuple[float, float]]) -> None:
    """Nothing is nested wrongly, and no mark stands where a parser would move it away."""
    marked = str(mark_highlights(html, make_marks(choose(str(canonical_text(html)), fractions))))
    known = KEPT_TAGS | MATH_TAGS
    allowed = {tag: {*ATTRIBUTES, "target", "referrerpolicy", "datetime", "rel", "alttext"} for tag in known}
    allowed["mark"] |= {"id", "data-highlight", "class", "data-note"}
    assert nh3.clean(marked, tags=set(known), attributes=allowed, link_rel=None) == marked
    assert tags_of(marked) == written_tags(marked)


def tags_of(html: str) -> list[str]:
    """Of each `<mark>` as a browser's parser understands the page: which it is, and what it holds."""
    body = LexborHTMLParser(f"<!doctype html><body>{html}").body
    assert body is not None
    return [node.attributes.get("data-highlight") or "" for node in body.css("mark")]


def written_tags(html: str) -> list[str]:
    parts = html.split("<mark")[1:]
    return [part.partition(">")[0].partition('data-highlight="')[2].partition('"')[0] for part in parts]


@given(safe_markup, spans)
def test_text_and_markup_are_found_from_one_another(html: SafeHtml, fractions: list[tuple[float, float]]) -> None:
    text_map = map_text(html)
    for chosen in choose(text_map.text, fractions):
        span = can_be_marked(text_map, chosen)
        if span is None:
            continue
        parts = list(text_map.markup_of(span))
        found = [text_map.span_of(part) for part in parts]
        assert all(found)
        assert min(part.start for part in found if part) == span.start
        assert max(part.end for part in found if part) == span.end
        assert all("<" not in str(html)[part.start : part.end] for part in parts)


texts = st.text("ab .\n\t-“é漢", min_size=1, max_size=60).map(str.strip).filter(bool)


def trim(text: str, span: Span) -> Span | None:
    return TextMap(text, []).trim(span)


@given(texts, spans)
def test_a_span_is_found_by_its_quote_and_a_true_hint(text: str, fractions: list[tuple[float, float]]) -> None:
    for chosen in choose(text, fractions):
        span = trim(text, chosen)
        if span is not None:
            assert find_quote(text, quote_at(text, span), span.start) == span
            assert reanchor(text, quote_at(text, span), span.start) in (span, None)


@given(texts, texts, spans, st.integers(-5, 100) | st.none())
def test_what_is_found_in_any_text_is_within_it(
    text: str, copy: str, fractions: list[tuple[float, float]], hint: int | None
) -> None:
    for span in choose(text, fractions):
        quote = quote_at(text, span)
        for found in (find_quote(copy, quote, hint), reanchor(copy, quote, hint)):
            if found is not None:
                assert found.end <= len(copy)
                assert not copy[found.start].isspace()
                assert not copy[found.end - 1].isspace()
        exactly = find_quote(copy, quote, hint)
        if exactly is not None:
            assert letters(copy[exactly.start : exactly.end]) == letters(quote.exact)
