"""What the rules for a page's boxes share: how far a box reaches, and whether an article is left without it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import ancestors, linked_length, outermost, short_text, text_of, weigh_text
from kept.content.article.walks import is_inherited
from kept.content.markup import tags

# No box is one of these, nor holds them.
_PAGE_TAGS: Final = tags("html body main article")
PAGE_PARTS: Final = "h1, main, article, [itemprop~=articleBody]"

SHORTEST_PROSE: Final = 60
# What must be left of the prose.
LEAST_PROSE: Final = 200
LARGEST_LINKED_SHARE: Final = 0.4
MOST_BLOCKS: Final = 2_000
HIGHEST: Final = 8


def widen(node: LexborNode, longest: int) -> LexborNode:
    """The largest box around a node with a text of at most `longest` characters."""
    box = node
    for above in islice(ancestors(node), HIGHEST):
        if above.tag in _PAGE_TAGS or short_text(above, longest) is None or above.css_first(PAGE_PARTS) is not None:
            break
        box = above
    return box


def leaves_article(body: LexborNode, boxes: Iterable[LexborNode], least: int = LEAST_PROSE) -> bool:
    """Whether there is prose enough outside of the boxes."""
    left = 0
    for text in _prose_outside(body, boxes):
        left += weigh_text(text)
        if left >= least:
            return True
    return False


def find_prose_outside(body: LexborNode, boxes: Iterable[LexborNode]) -> list[str]:
    """The texts of the blocks of prose that stand in none of the boxes."""
    return list(_prose_outside(body, boxes))


def _prose_outside(body: LexborNode, boxes: Iterable[LexborNode]) -> Iterator[str]:
    ids = {box.mem_id for box in boxes}
    inside = is_inherited(lambda node: node.mem_id in ids)
    return (text_of(node) for node in _list_prose(body) if not inside.of(node))


def _list_prose(body: LexborNode) -> Iterator[LexborNode]:
    yield from filter(is_prose, islice(body.css("p"), MOST_BLOCKS))
    yield from filter(has_own_prose, islice(body.css("div, td, section, article, blockquote, li"), MOST_BLOCKS))


def is_prose(node: LexborNode) -> bool:
    text = text_of(node)
    return weigh_text(text) >= SHORTEST_PROSE and linked_length(node) <= LARGEST_LINKED_SHARE * len(text)


def has_own_prose(node: LexborNode) -> bool:
    """Pages without paragraphs have text right in their other blocks."""
    return weigh_text(node.text(deep=False).strip()) >= SHORTEST_PROSE


def stands_in_flow(box: LexborNode) -> bool:
    """Whether paragraphs stand right beside it, as beside what belongs to an article."""
    parent = box.parent
    return parent is not None and any(
        child.tag == "p" and is_prose(child) for child in islice(parent.iter(), MOST_BLOCKS)
    )


def stands_in_own_article(node: LexborNode) -> bool:
    """In what the page itself calls its article."""
    return any(_is_own_article(above) for above in (node, *ancestors(node)))


def _is_own_article(node: LexborNode) -> bool:
    return node.tag == "article" or "articleBody" in (node.attributes.get("itemprop") or "")


def remove_all(nodes: Iterable[LexborNode]) -> None:
    for node in outermost(nodes):
        node.decompose()
