"""Removes what follows the element that the page itself calls its article."""

from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import ancestors, outermost, remove_around, text_of

# Best evidence first.
OWN_ARTICLE: Final = ("article", "[itemprop~=articleBody]")
# Of all text: pages also call a teaser or a comment an article. On the tuning pages 0.5 scored the same.
SMALLEST_SHARE: Final = 0.75


def remove_after_article(root: LexborNode) -> None:
    """What stands before it is often its lead, and is left to the rules for an article's opening."""
    article = find_own_article(root)
    if article is not None:
        remove_around(list(after(article, root)))


def find_own_article(root: LexborNode) -> LexborNode | None:
    least = SMALLEST_SHARE * len(text_of(root))
    named = (node for selector in OWN_ARTICLE for node in outermost(root.css(selector)))
    return next((node for node in named if len(text_of(node)) >= least), None)


def after(node: LexborNode, root: LexborNode) -> Iterator[LexborNode]:
    for inner in (node, *ancestors(node)):
        if inner.mem_id == root.mem_id:
            return
        following = inner.next
        while following is not None:
            if following.is_element_node:
                yield following
            following = following.next
