"""Frees embedded quotations (tweets, posts) of the wrappers that Readability would remove for the links in them."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import name_of, text_of
from kept.content.article.walks import shallow
from kept.content.markup import tags

_WRAPPERS: Final = tags("div section aside center span")
# What readers write stands in quotations too, and is left to the rules that remove it.
_OF_READERS: Final = ("-comment-", "-comments-", "-reply-", "-replies-")
_MARKS: Final = "\"'“”„«»‘’ "
BEGINNING: Final = 40
MOST_QUOTATIONS: Final = 300
MOST_WRAPPERS: Final = 5
MOST_BESIDE: Final = 10


def unwrap_quotations(body: LexborNode) -> None:
    """But not those that only repeat words of the article: pull quotes."""
    quotations = shallow(body.css("blockquote")[:MOST_QUOTATIONS])
    wrapped = [(node, wrappers) for node in quotations if (wrappers := _find_wrappers(node))]
    if not wrapped:
        return
    whole = text_of(body)
    for quotation, wrappers in wrapped:
        if quotation.css_first("a[href]") is not None or not _is_repeated(quotation, whole):
            for wrapper in wrappers:
                wrapper.unwrap()


def _find_wrappers(quotation: LexborNode) -> list[LexborNode]:
    wrappers = list(islice(_sole_wrappers(quotation), MOST_WRAPPERS))
    return [] if any(name in name_of(wrapper) for wrapper in wrappers for name in _OF_READERS) else wrappers


def _is_repeated(quotation: LexborNode, whole: str) -> bool:
    beginning = text_of(quotation).strip(_MARKS)[:BEGINNING]
    return whole.count(beginning) > 1 if beginning else True


def _sole_wrappers(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None and above.tag in _WRAPPERS and _holds_one_element(above):
        yield above
        above = above.parent


def _holds_one_element(node: LexborNode) -> bool:
    """And neither text nor anything that shows beside it."""
    children = list(islice(node.iter(include_text=True), MOST_BESIDE + 1))
    if len(children) > MOST_BESIDE or any(child.is_text_node and child.text().strip() for child in children):
        return False
    return sum(child.is_element_node and child.first_child is not None for child in children) == 1
