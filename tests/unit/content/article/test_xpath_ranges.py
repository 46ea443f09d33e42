"""Places in an article as annotator.js spells them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.xpath_ranges import ArticlePlaces, XPathRange, count_units, normalise_path
from kept.content.article.safe_html import LINK_GUARD, SafeHtml
from kept.domain.highlight import Span


def safe(html: str) -> SafeHtml:
    admitted = SafeHtml.admit(html)
    assert admitted is not None
    return admitted


ARTICLE = safe(
    "<h2>Title</h2><p>One <em>two</em> three&nbsp;&amp; four.</p><hr><div><p>Five 𝒳 six.</p>"
    f'<p>Seven<br>eight <a href="https://example.org/"{LINK_GUARD}>nine</a>.</p></div><ul><li>ten</li><li>eleven</li></ul>'
)
TEXT = str(canonical_text(ARTICLE))


def span_of(quote: str) -> Span:
    return Span(TEXT.index(quote), TEXT.index(quote) + len(quote))


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Title", XPathRange("/h2[1]", 0, "/h2[1]", 5)),
        ("two", XPathRange("/p[1]/em[1]", 0, "/p[1]/em[1]", 3)),
        ("& four", XPathRange("/p[1]", 14, "/p[1]", 20)),
        ("six", XPathRange("/div[1]/p[1]", 8, "/div[1]/p[1]", 11)),
        ("eight nine", XPathRange("/div[1]/p[2]", 5, "/div[1]/p[2]/a[1]", 4)),
        ("ten\neleven", XPathRange("/ul[1]/li[1]", 0, "/ul[1]/li[2]", 6)),
    ],
)
def test_a_span_has_a_range_that_leads_back_to_it(quote: str, expected: XPathRange) -> None:
    places = ArticlePlaces(ARTICLE)
    assert places.write_range(span_of(quote)) == expected
    assert places.find_span(expected) == span_of(quote)


def test_a_range_counts_from_any_element_around_the_place() -> None:
    places = ArticlePlaces(ARTICLE)
    assert places.find_span(XPathRange("/p", 4, "/p", 7)) == span_of("two")
    assert places.find_span(XPathRange("", 0, "/", 5)) == span_of("Title")
    assert places.find_span(XPathRange("/DIV[1]/P[2]", 0, "/div/p[2]", 5)) == span_of("Seven")


@pytest.mark.parametrize(
    "wrong",
    [
        XPathRange("/p[9]", 0, "/p[9]", 1),
        XPathRange("/p[1]", 0, "/p[1]", 999),
        XPathRange("/p[1]", 5, "/p[1]", 5),
        XPathRange("/p[1]", 6, "/p[1]", 5),
        XPathRange("/p[1]", -1, "/p[1]", 5),
        XPathRange("//p", 0, "/p[x]", 5),
        XPathRange("/hr[1]", 0, "/hr[1]", 0),
        XPathRange("/p[1]/" * 5000, 0, "/p[1]", 5),
    ],
)
def test_what_is_nowhere_in_the_article_is_not_found(wrong: XPathRange) -> None:
    assert ArticlePlaces(ARTICLE).find_span(wrong) is None


def test_paths_have_one_spelling() -> None:
    assert normalise_path("/div/p[2]/") == "/div[1]/p[2]"
    assert normalise_path("/") == normalise_path("") == ""
    assert normalise_path("/p[1]/text()[1]") is None


def test_a_node_is_as_long_as_javascript_says() -> None:
    assert count_units("a&amp;b&nbsp;&lt;&gt;𝒳é") == 9


@given(st.data())
def test_every_span_leads_to_a_range_and_back(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT) - 1))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    if TEXT[start].isspace() or TEXT[end - 1].isspace():
        return
    places = ArticlePlaces(ARTICLE)
    written = places.write_range(Span(start, end))
    assert written is not None
    assert places.find_span(written) == Span(start, end)
