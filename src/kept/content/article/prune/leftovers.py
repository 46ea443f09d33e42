"""Removes what the other rules and the page itself leave behind: captions said twice, wrappers of nothing."""

from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import HEADINGS, ancestors, elements, leaf_nodes, name_of, remove, tags, text_of
from kept.content.article.walks import holders

WRAPPERS: Final = HEADINGS | tags(
    "a article b center div em header hgroup i li main ol p section small span strong u ul"
)
SHORTEST_CAPTION: Final = 20  # a shorter one is a credit, and two images may well share it
CONTENT: Final = "img, picture, video, audio, iframe, embed, object, hr, svg, math, canvas, table, pre, input"


def remove_repeated_captions(root: LexborNode) -> None:
    """Slide shows carry each caption several times: whole, shortened, and beside the controls."""
    said: set[str] = set()
    doomed: list[LexborNode] = []
    for node in leaf_nodes(root):
        text = text_of(node)
        if len(text) >= SHORTEST_CAPTION and text in said and is_caption(node):
            doomed.append(node)
        said.add(text)
    remove(doomed)


def is_caption(node: LexborNode) -> bool:
    around = (node, *islice(ancestors(node), 3))
    return any("-caption-" in name_of(near) or near.tag == "figure" for near in around)


def remove_empty_wrappers(root: LexborNode) -> None:
    texts = (node for node in root.traverse(include_text=True) if node.is_text_node and node.text().strip())
    around = holders((*texts, *root.css(CONTENT)))
    for node in reversed(elements(root)):
        if node.tag in WRAPPERS and node.mem_id not in around:
            node.decompose()
