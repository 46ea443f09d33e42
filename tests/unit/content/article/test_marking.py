"""Highlights in an article's markup."""

from uuid import UUID

import pytest

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.marking import MAX_LAYERS, MAX_PIECES, mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Colour, Mark, Span
from support.fixtures.marks import pieces_of, read_marks, remove_marks
from support.hostile.slow_texts import at_most

pytestmark = pytest.mark.requirement("Kept", "marks change nothing else in any markup")

ID = "00000000-0000-0000-0000-00000000000{}"


def admit(html: str) -> SafeHtml:
    safe = SafeHtml.admit(html)
    assert safe is not None
    return safe


def mark(html: str, *wanted: str) -> str:
    """Each of the words marked as highlight 1, 2, …, written short."""
    safe = admit(html)
    text = str(canonical_text(safe))
    spans = [Span(text.index(words), text.index(words) + len(words)) for words in wanted]
    marks = [Mark(UUID(int=number), span, Colour.YELLOW) for number, span in enumerate(spans, start=1)]
    return shorten(str(mark_highlights(safe, marks)))


def shorten(marked: str) -> str:
    for number in range(1, 10):
        id = ID.format(number)
        marked = marked.replace(f'<mark id="h-{id}" data-highlight="{id}" class="h-yellow">', f"<{number}>")
        marked = marked.replace(f'<mark data-highlight="{id}" class="h-yellow">', f"<+{number}>")
    return marked.replace("</mark>", "</>")


@pytest.mark.parametrize(
    ("html", "words", "marked"),
    [
        ("<p>one two three</p>", "two", "<p>one <1>two</> three</p>"),
        ("<p>one <b>two</b> three</p>", "one two", "<p><1>one </><b><+1>two</></b> three</p>"),
        ("<p>one</p>\n<p>two</p>", "one\n\ntwo", "<p><1>one</></p>\n<p><+1>two</></p>"),
        ("<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "a\nb", "<ul>\n<li><1>a</></li>\n<li><+1>b</></li>\n</ul>"),
        (
            "<table><tbody><tr> <td>a</td> <td>b</td> </tr></tbody></table>",
            "a\tb",
            "<table><tbody><tr> <td><1>a</></td> <td><+1>b</></td> </tr></tbody></table>",
        ),
        ("<p><b>a</b> <i>b</i></p>", "a b", "<p><b><1>a</></b><+1> </><i><+1>b</></i></p>"),
        ("<p>a &amp; b</p>", "&", "<p>a <1>&amp;</> b</p>"),
        ("<p>one <mark>two</mark></p>", "one two", "<p><1>one </><mark><+1>two</></></p>"),
        ("<pre><code>if a:\n    b</code></pre>", "a:\n    b", "<pre><code>if <1>a:\n    b</></code></pre>"),
        ("<p>漢字かな</p>", "字か", "<p>漢<1>字か</>な</p>"),
    ],
)
def test_text_is_marked_in_each_element_it_stands_in(html: str, words: str, marked: str) -> None:
    assert mark(html, words) == marked


def test_an_escape_and_the_mark_composed_with_it_are_marked_together() -> None:
    html = admit("<p>x&lt;\u0338y</p>")
    assert str(canonical_text(html)) == "x\u226ey"
    marked = shorten(str(mark_highlights(html, [Mark(UUID(int=1), Span(1, 2), Colour.YELLOW)])))
    assert marked == "<p>x<1>&lt;\u0338</>y</p>"


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("abcd", "bc", "<1>a<2>bc</>d</>e"),
        ("bc", "abcd", "<2>a<1>bc</>d</>e"),
        ("abc", "cde", "<1>ab<2>c</></><+2>de</>"),
        ("abc", "abc", "<1><2>abc</></>de"),
        ("ab", "cd", "<1>ab</><2>cd</>e"),
    ],
)
def test_marks_that_overlap_are_nested(first: str, second: str, marked: str) -> None:
    assert mark("<p>abcde</p>", first, second) == f"<p>{marked}</p>"


def test_a_mark_tells_its_colour_and_whether_it_has_a_note() -> None:
    id = UUID(int=1)
    marked = mark_highlights(admit("<p>one</p>"), [Mark(id, Span(0, 3), Colour.GREEN, has_note=True)])
    assert str(marked) == f'<p><mark id="h-{id}" data-highlight="{id}" class="h-green" data-note="">one</mark></p>'


def test_a_span_outside_the_text_or_of_white_space_is_not_marked() -> None:
    html = admit("<p>one</p><p>two</p>")
    for span in (Span(3, 5), Span(5, 9), Span(90, 91)):
        assert mark_highlights(html, [Mark(UUID(int=1), span, Colour.RED)]) == html


def test_the_stored_language_has_no_highlights() -> None:
    """What the database holds cannot claim to be somebody's highlight."""
    marked = mark_highlights(admit("<p>one</p>"), [Mark(UUID(int=1), Span(0, 3), Colour.BLUE)])
    assert SafeHtml.admit(str(marked)) is None
    assert SafeHtml.admit_marked(str(marked)) == marked


@pytest.mark.parametrize(
    "tag",
    [
        'mark data-highlight="x" class="h-red"',
        f'mark data-highlight="{UUID(int=1)}" class="h-pink"',
        f'mark data-highlight="{UUID(int=1)}" class="h-red" onclick="x"',
        f'mark class="h-red" data-highlight="{UUID(int=1)}"',
        f'p data-highlight="{UUID(int=1)}" class="h-red"',
        f'mark id="x" data-highlight="{UUID(int=1)}" class="h-red"',
        "script",
    ],
)
def test_marked_markup_with_anything_else_is_refused(tag: str) -> None:
    assert SafeHtml.admit_marked(f"<p><{tag}>x</mark></p>") is None


def test_the_text_of_a_marked_article_is_the_same() -> None:
    html = admit("<p>one <b>two</b></p><pre>a\n b</pre><p>e\u0301</p>")
    text = str(canonical_text(html))
    marked = mark_highlights(html, [Mark(UUID(int=1), Span(2, len(text)), Colour.RED)])
    assert str(canonical_text(marked)) == text
    assert read_marks(str(marked)) == {UUID(int=1): Span(2, len(text))}


def test_a_place_that_is_marked_a_thousand_times_shows_a_few_of_the_marks() -> None:
    html = admit("<p>" + "word " * 5_000 + "</p>")
    marks = [Mark(UUID(int=number), Span(0, 20_000), Colour.RED) for number in range(5_000)]
    marked = str(mark_highlights(html, marks))
    assert len(pieces_of(marked)) == MAX_LAYERS
    assert marked.count(' id="h-') == 5_000, "the list leads to each of them"
    assert remove_marks(marked) == str(html)


def test_highlights_over_one_another_do_not_make_a_page_of_gigabytes() -> None:
    html = admit("<p>" + "a<b>b</b>" * 20_000 + "</p>")
    marks = [Mark(UUID(int=number), Span(number, 20_000 + number), Colour.RED) for number in range(5_000)]
    with at_most(10):
        marked = str(mark_highlights(html, marks))
    assert marked.count("<mark ") <= MAX_PIECES * MAX_LAYERS
    assert remove_marks(marked) == str(html)
