"""The walk that measures nesting, held against the tree that a real parser builds."""

from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.page.nesting import Nesting, find_crowded_tag, measure_nesting

# Without drawings, selects and templates, where the walk is only near the truth.
_TAGS = [
    "p",
    "div",
    "b",
    "i",
    "a",
    "li",
    "ul",
    "table",
    "tr",
    "td",
    "span",
    "h1",
    "dd",
    "dl",
    "font",
    "pre",
    "section",
    "br",
]
_pieces = st.one_of(
    st.builds("<{}>".format, st.sampled_from(_TAGS)),
    st.builds("<{} x={}>".format, st.sampled_from(_TAGS), st.integers(0, 9)),
    st.builds("</{}>".format, st.sampled_from(_TAGS)),
    st.just("text"),
)


def _measure(html: str) -> Nesting:
    return measure_nesting(html, max_depth=10_000, max_reopened=10_000)


def _depth(html: str) -> int:
    body = LexborHTMLParser(f"<!doctype html><body>{html}").body
    deepest, level = 0, [body.first_child] if body is not None else []
    depth = 0
    while level:
        depth += 1
        elements = [node for first in level for node in _siblings(first) if node.is_element_node]
        deepest = depth if elements else deepest
        level = [node.first_child for node in elements if node.first_child is not None]
    return deepest


def _siblings(node: LexborNode | None) -> list[LexborNode]:
    found = []
    while node is not None:
        found.append(node)
        node = node.next
    return found


@given(st.lists(_pieces, max_size=60).map("".join))
@settings(max_examples=500)
def test_the_walk_is_never_much_shallower_than_the_tree(html: str) -> None:
    # Cells without their row and rows without their body are given them by the parser.
    assert _depth(html) <= 3 * (_measure(html).depth + 1)


def test_unclosed_paragraphs_items_and_cells_do_not_nest() -> None:
    assert _measure("<p>x" * 1000).depth == 1
    assert _measure("<ul>" + "<li>x" * 1000).depth == 2
    assert _measure("<table>" + "<tr><td>x" * 1000).depth == 3
    assert _measure("<a href=x>y" * 1000).depth == 1


def test_markup_in_scripts_styles_and_comments_does_not_nest() -> None:
    assert _measure("<script>" + "'<div>'" * 1000 + "</script><style><b></style><!-- <i><i> --><p>x").depth == 1


def test_formatting_is_counted_each_time_it_is_opened_again() -> None:
    assert _measure("<p><b id=1><i id=2>" + "<p>x" * 10 + "</p>").reopened == 20
    assert _measure("<p><b>x</b>" * 10).reopened == 0
    # Three of a kind at most, as the standard says.
    assert _measure("<p>" + "<b>" * 50 + "<p>x" * 2 + "</p>").reopened == 6


def test_a_crowded_tag_is_found_where_it_begins() -> None:
    html = "<p>x</p><p " + " ".join(f"a{number}='>'" for number in range(600)) + ">"
    assert find_crowded_tag(html, max_attributes=512) == 8
    assert find_crowded_tag(html, max_attributes=700) is None
