"""Rules that look through a page cost as much as the page is long, however deep its elements stand in each other.

Work is counted, not timed: calls of functions, and what these return of text and of nodes.
"""

import sys
from collections.abc import Callable
from types import FrameType
from uuid import UUID

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.article import Page
from kept.content.article.readable import Readable
from kept.content.article.reading import read_page
from kept.content.article.rules import boxes, headings, panels, thresholds
from kept.content.article.rules.walks import Inherited, holders, is_inherited, shallow

pytestmark = pytest.mark.requirement("Kept", "a page made to be slow costs bounded time (`./bench hostile`)")

PROSE = "<p>A sentence of the article with commas, and with words enough to be prose of some length.</p>"
WORDS = "<i>w</i> " * 1_500


class WholePage:
    """Reads a page as one that is all article, so that every rule gets all of it."""

    def start(self, html: str, timeout_seconds: float) -> Callable[[], Readable]:
        body = LexborHTMLParser(html).body
        return lambda: Readable(body.inner_html or "" if body is not None else "")


def tree(html: str) -> LexborNode:
    body = LexborHTMLParser(f"<body>{html}").body
    assert body is not None
    return body


def nest(opening: str, closing: str, times: int, inner: str) -> str:
    return opening * times + inner + closing * times


def count_work(body: str) -> int:
    html = f"<title>T</title><article><h1>T</h1>{PROSE * 4}{body}{PROSE * 4}</article>"
    work = 0

    def count(frame: FrameType, event: str, returned: object) -> None:
        nonlocal work
        work += 1
        if event == "return" and isinstance(returned, str | list):
            work += len(returned)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_page(Page(html.encode(), "https://a.example/b", UUID(int=0), "text/html"), WholePage(), 1)
    finally:
        sys.setprofile(before)
    return work


NESTED = {
    "hidden panels": ('<div hidden class="accordion">', "</div>"),
    "buttons and panels": ('<button aria-controls="a">q</button><div id="a">', "</div>"),
    "comments": ('<div class="comments"><time>1</time>', "</div>"),
    "sections with ids": ('<section id="extra-tips"><h2>Extra tips</h2>', "</section>"),
    "notes": ('<aside class="note">', f"</aside>{PROSE}"),
    "quotations": ("<div><blockquote>", "</blockquote></div>"),
    "tables": ('<table class="ticker"><tr><td>1', "</table>"),
    "names of clutter": ('<div class="related">', "</div>"),
    "boxes of other stories": ("<div><h3>Related stories</h3><ul><li><a href=/x>x</a></ul><div>", "</div></div>"),
    "lists": ("<ul><li>one item of a list", "</ul>"),
    "lists of headlines": ("<ul><li><a href=/x>one two three four</a><li>", "</ul>"),
    "teasers": ("<div><div><h3><a href=/x>h</a></h3></div><div><h3><a href=/x>h</a></h3></div><div>", "</div></div>"),
    "products": ("<div class=p></div><div class=p></div><div class=p></div><div class=p><h3>x</h3>$5 text", "</div>"),
    "figures": ("<figure><h3>x</h3><a href=/x>x</a>", "</figure>"),
    "articles": ("<article>", "</article>"),
    "lines in blocks": ("<div><span>", "</span></div>"),
    "noscripts": ("<noscript>", "</noscript>"),
}


@pytest.mark.parametrize("pair", NESTED.values(), ids=NESTED)
def test_text_in_four_times_as_many_elements_is_not_four_times_the_work(pair: tuple[str, str]) -> None:
    few, many = (count_work(nest(*pair, times, WORDS)) for times in (50, 200))
    assert many < 2.5 * few


BESIDE = {
    "panels": '<div hidden class="accordion">words that are long enough to be a text</div>',
    "buttons": '<button aria-controls="a">q</button>',
    "fields": '<input type="email">',
    "menus": "<nav>x</nav>",
    "images": '<div class="share"><img src="a"></div>',
    "paragraphs": PROSE,
    "names of layout": f'<div class="media">{PROSE}</div>',
    "noscripts": '<img src="a"><noscript><img src="a"></noscript>',
    "links": "<a href=/x>A headline of another page</a>",
    "wrappers of nothing": "<div><span></span></div>",
}


@pytest.mark.parametrize("element", BESIDE.values(), ids=BESIDE)
def test_a_page_twice_as_deep_with_twice_as_many_elements_is_twice_the_work(element: str) -> None:
    few, many = (count_work(nest("<div>", "</div>", times, element * times)) for times in (150, 300))
    assert many < 3 * few


def count_calls(monkeypatch: pytest.MonkeyPatch, module: object, name: str, html: str) -> int:
    calls = 0
    original = getattr(module, name)

    def counted(*given: object) -> object:
        nonlocal calls
        calls += 1
        return original(*given)

    monkeypatch.setattr(module, name, counted)
    count_work(html)
    return calls


def test_few_nested_panels_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = nest('<div hidden class="accordion">', "</div>", 300, "words " * 20)
    assert count_calls(monkeypatch, panels, "is_text", nested) == thresholds.DEEPEST + 1


def test_few_boxes_of_comments_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = nest('<div class="comments">', "</div>", 300, "words")
    assert count_calls(monkeypatch, boxes, "are_comments", nested) == thresholds.DEEPEST + 1


def test_few_sections_with_ids_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = nest('<div id="extra-tips">', "</div>", 300, "words")
    assert count_calls(monkeypatch, headings, "spells_text", nested) == thresholds.MOST_LOOKED_THROUGH


def test_a_node_has_what_the_nearest_around_it_says() -> None:
    body = tree("<section lang=de><div><b></b></div><div lang=fr><i></i></div></section><u></u>")
    asked: list[str | None] = []

    def own(node: LexborNode) -> str | None:
        asked.append(node.tag)
        return node.attributes.get("lang") if node.is_element_node else None

    language = Inherited(own)
    assert [language.of(body.css_first(tag)) for tag in ("b", "i", "u", "b")] == ["de", "fr", None, "de"]
    assert asked.count("section") == 1
    assert language.of(None) is None


def test_a_test_is_inherited_from_any_element_around() -> None:
    body = tree("<nav><p><b></b></p></nav><i></i>")
    in_nav = is_inherited(lambda node: node.tag == "nav")
    assert [bool(in_nav.of(body.css_first(tag))) for tag in ("b", "nav", "i")] == [True, True, False]


def test_holders_are_the_nodes_and_all_around_them() -> None:
    body = tree("<div><p><b></b></p></div><section><b></b></section><ul><li></li></ul>")
    found = holders(body.css("b"))
    around = [tag for tag in ("b", "p", "div", "section", "ul", "li") if body.css(tag)[0].mem_id in found]
    assert around == ["b", "p", "div", "section"]


def test_what_stands_in_too_many_of_its_kind_is_left_out() -> None:
    body = tree("<div id=a><p><div id=b><div id=c></div></div></div><div id=d></div>")
    names = [[node.attributes.get("id") for node in shallow([*body.css("div")] * 2, deepest)] for deepest in (0, 1, 2)]
    assert names == [["a", "d"], ["a", "b", "d"], ["a", "b", "c", "d"]]
