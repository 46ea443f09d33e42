"""Places by the path of elements, as Readeck's clients tell them: both ways, over the canonical text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.selectors import Selectors, find_selectors, find_span
from kept.content.article.highlights.text_map import map_text
from kept.content.article.highlights.xpath_ranges import normalise_path
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.domain.highlight import Span
from kept.ids import new_media_id

ARTICLE = (
    "<section><p>One &amp; two.</p><p>Three <em>four</em> five.</p><p>六七八 &lt;nine&gt;</p></section><p>Last one.</p>"
)


def make(html: str) -> SafeHtml:
    made = sanitise_article(
        html, base_url="https://a.example/", canonical_url="https://a.example/", media_id=new_media_id()
    )
    assert isinstance(made, SanitisedArticle)
    return made.html


def quote(html: SafeHtml, place: Selectors) -> str | None:
    text_map = map_text(html)
    span = find_span(html, place)
    return text_map.text[span.start : span.end] if span else None


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Selectors("section/p", 0, "section/p", 9), "One & two"),
        (Selectors("section/p[1]", 4, "/section[1]/p[1]/", 5), "&"),
        (Selectors("section/p[2]", 6, "section/p[2]", 10), "four"),
        (Selectors("section/p[2]/em", 0, "section/p[2]/em", 4), "four"),
        (Selectors("section/p[2]", 0, "section/p[3]", 3), "Three four five.\n\n六七八"),
        (Selectors("section/p[3]", 4, "section/p[3]", 10), "<nine>"),
        (Selectors("section/p[3]", 1, "p", 4), "七八 <nine>\n\nLast"),
        (Selectors("p", 0, "p", 9), "Last one."),
        (Selectors("p", 0, "p", 10), None),
        (Selectors("p", 5, "p", 5), None),
        (Selectors("p", 5, "p", 1), None),
        (Selectors("section/p[9]", 0, "p", 1), None),
        (Selectors("section/p[0]", 0, "p", 1), None),
        (Selectors("//*", 0, "p", 1), None),
        (Selectors("x" * 5000, 0, "p", 1), None),
    ],
)
def test_offsets_count_code_points_from_the_start_of_the_element(place: Selectors, expected: str | None) -> None:
    assert quote(make(ARTICLE), place) == expected


def test_a_place_is_told_in_the_innermost_element_and_found_again() -> None:
    html = make(ARTICLE)
    text_map = map_text(html)
    start = text_map.text.index("four")
    found = find_selectors(html, [Span(start, start + 4), Span(0, 3), Span(start, len(text_map.text))])
    assert found == [
        Selectors("section/p[2]/em", 0, "section/p[2]/em", 4),
        Selectors("section/p", 0, "section/p", 3),
        Selectors("section/p[2]/em", 0, "p", 9),
    ]


words = st.text(st.sampled_from("ab é&<>\xa0夜\u0301"), min_size=1, max_size=6)
blocks = st.tuples(st.sampled_from(["p", "li", "div", "em", "pre", "td"]), words, words)


@given(st.lists(blocks, min_size=1, max_size=6), st.data())
def test_what_is_told_of_any_span_leads_back_to_it(parts: list[tuple[str, str, str]], data: st.DataObject) -> None:
    escaped = [(tag, *(w.replace("&", "&amp;").replace("<", "&lt;") for w in said)) for tag, *said in parts]
    made = sanitise_article(
        "".join(f"<div><{tag}>{one}<b>{two}</b></{tag}></div>" for tag, one, two in escaped),
        base_url="https://a.example/",
        canonical_url="https://a.example/",
        media_id=new_media_id(),
    )
    if not isinstance(made, SanitisedArticle) or not str(canonical_text(made.html)).strip():
        return
    text_map = map_text(made.html)
    length = len(text_map.text)
    start = data.draw(st.integers(0, length - 1))
    span = text_map.trim(Span(start, data.draw(st.integers(start + 1, length))))
    if span is None:
        return
    [place] = find_selectors(made.html, [span])
    assert place is not None
    again = find_span(made.html, place)
    assert again is not None
    assert again.start <= span.start
    assert again.end >= span.end
    assert text_map.text[again.start : again.end].strip() == text_map.text[again.start : again.end]


@pytest.mark.parametrize("text", ["", ".", "/", "./", "//"])
def test_the_root_has_no_steps(text: str) -> None:
    assert normalise_path(text) == ""


def test_ten_thousand_nested_elements_take_no_longer_than_that_many_side_by_side() -> None:
    html = make("<section>" * 300 + "<p>deep</p>" + "</section>" * 300 + "<p>x</p>" * 5000)
    found = find_selectors(html, [Span(0, 4)])
    assert len(found) == 1
    assert quote(html, Selectors("p[5000]", 0, "p[5000]", 1)) == "x"
