"""Removes names that only tell how a part is laid out, and for which Readability would remove its paragraphs."""

from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import is_prose
from kept.content.article.prune.hints import find_names
from kept.content.article.prune.tree import ancestors, name_of
from kept.content.article.tag_names import tags

# To Readability these are players and what stands in a side bar; page builders and style sheets put them on anything.
_LAYOUT: Final = 'div[class*="media"], div[class*="widget"], div[class*="scroll"], div[class*="shopping"]'
_OWN_PARTS: Final = tags("article main")
MOST_NAMED: Final = 200
MOST_CHILDREN: Final = 50


def remove_layout_names(body: LexborNode) -> None:
    for node in {node.mem_id: node for node in body.css(_LAYOUT)[:MOST_NAMED]}.values():
        if holds_paragraph(node) and stands_in_main_part(node) and not find_names(name_of(node)):
            del node.attrs["class"]


def holds_paragraph(node: LexborNode) -> bool:
    return any(child.tag == "p" and is_prose(child) for child in islice(node.iter(), MOST_CHILDREN))


def stands_in_main_part(node: LexborNode) -> bool:
    """In what the page calls its article, and in nothing that stands beside that."""
    for above in ancestors(node):
        if above.tag in _OWN_PARTS:
            return True
        if above.tag == "aside" or find_names(name_of(above)):
            return False
    return False
