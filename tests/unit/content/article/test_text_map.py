"""Where the characters of canonical text stand in the markup."""

import pytest

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.text_map import MarkupRange, map_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Span

pytestmark = pytest.mark.requirement("Kept", "marks change nothing else in any markup")


def admit(html: str) -> SafeHtml:
    safe = SafeHtml.admit(html)
    assert safe is not None
    return safe


def markup_of(html: str, words: str) -> list[str]:
    """The parts of the markup in which the words stand."""
    text_map = map_text(admit(html))
    start = text_map.text.index(words)
    return [html[part.start : part.end] for part in text_map.markup_of(Span(start, start + len(words)))]


@pytest.mark.parametrize(
    ("html", "words", "parts"),
    [
        ("<p>one two three</p>", "two", ["two"]),
        ("<p>one <b>two</b> three</p>", "two three", ["two", " three"]),
        ("<p>one</p>\n<p>two</p>", "one\n\ntwo", ["one", "two"]),
        ("<p>one\n   two</p>", "one two", ["one\n   two"]),
        ("<p>one &amp; two</p>", "& t", ["&amp; t"]),
        ("<p>a&lt;b</p>", "<", ["&lt;"]),
        ("<p>a&nbsp; b</p>", "a b", ["a&nbsp; b"]),
        ("<p>&amp;lt;</p>", "lt;", ["lt;"]),
        ("<p>one </p>", "one", ["one"]),
        ("<p>a<br>b</p>", "a\nb", ["a", "b"]),
        ("<pre>a\n\n\n\n  b</pre>", "a\n\n  b", ["a\n\n\n\n  b"]),
        ("<pre>\n\na\r\nb &gt;</pre>", "a\nb >", ["a\r\nb &gt;"]),
        ("<pre>  a</pre>", "a", ["a"]),
        ("<table><tbody><tr><td> a </td><td>b</td></tr></tbody></table>", "a\tb", ["a", "b"]),
        ("<p><b>a</b> <i>b</i></p>", "a b", ["a", " ", "b"]),
        ("<p>a <b> b</b></p>", "a b", ["a ", " b"]),
        ("<p>caf<b>e</b>\u0301 x</p>", "é", ["e", "\u0301"]),
        ("<p>e\u0301te\u0301</p>", "t", ["t"]),
        ("<p>a &gt;\u0338 b</p>", "a ≯ b", ["a &gt;\u0338 b"]),
        ("<p>\u1112\u1161\u11ab\u1100\u1173\u11af x</p>", "글 x", ["\u1100\u1173\u11af x"]),
    ],
)
def test_words_are_found_in_the_markup(html: str, words: str, parts: list[str]) -> None:
    assert markup_of(html, words) == parts


def test_the_text_is_the_canonical_text() -> None:
    html = admit("<br> <pre>  a  \n\n</pre><p>e\u0301 &amp; </p><hr>")
    assert map_text(html).text == canonical_text(html).text == "a  \n\né &"


def test_a_part_of_the_markup_is_found_in_the_text() -> None:
    html = "<p>one &amp; <b>two</b></p><p>three</p>"
    text_map = map_text(admit(html))
    assert text_map.span_of(MarkupRange(html.index("ne"), html.index("wo"))) == Span(1, 7)
    assert text_map.span_of(MarkupRange(html.index("</b>"), html.index("three"))) is None


def test_a_span_is_trimmed_of_white_space_and_must_be_within_the_text() -> None:
    text_map = map_text(admit("<p>one</p><p>two</p>"))
    assert text_map.trim(Span(2, 6)) == Span(2, 6)
    assert text_map.trim(Span(2, 5)) == Span(2, 3)
    assert text_map.trim(Span(3, 5)) is None
    assert text_map.trim(Span(5, 9)) is None
