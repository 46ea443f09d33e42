"""Removes names that only tell how a part is laid out, and for which Readability would remove its paragraphs."""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import is_prose
from kept.content.article.prune.hints import find_names
from kept.content.article.prune.tree import LONGEST_NAME, name_of
from kept.content.article.walks import Inherited
from kept.content.markup import tags

# To Readability these are players and what stands in a side bar; page builders and style sheets put them on anything.
_LAYOUT: Final = 'div[class*="media"], div[class*="widget"], div[class*="scroll"], div[class*="shopping"]'
# What stands beside a side bar, or has none, is no side bar.
_BESIDE_SIDEBAR: Final = re.compile(r"(?:with|has|no|without)[-_]{1,2}(?:no[-_])?side-?bar", re.IGNORECASE)
_OWN_PARTS: Final = tags("article main")
MOST_NAMED: Final = 200
MOST_CHILDREN: Final = 50


def remove_layout_names(body: LexborNode) -> None:
    for node in body.css('[class*="sidebar" i]')[:MOST_NAMED]:
        remove_modifiers(node)
    is_main_part = Inherited(tells_main_part)
    named = {node.mem_id: node for node in body.css(_LAYOUT)[:MOST_NAMED] if holds_paragraph(node)}.values()
    for node in [node for node in named if is_main_part.of(node.parent) and not find_names(name_of(node))]:
        del node.attrs["class"]


def remove_modifiers(node: LexborNode) -> None:
    names = (node.attributes.get("class") or "").split()
    left = [name for name in names if not _BESIDE_SIDEBAR.search(name[:LONGEST_NAME])]
    if len(left) < len(names):
        node.attrs["class"] = " ".join(left)


def holds_paragraph(node: LexborNode) -> bool:
    return any(child.tag == "p" and is_prose(child) for child in islice(node.iter(), MOST_CHILDREN))


def tells_main_part(node: LexborNode) -> bool | None:
    """Whether it is what the page calls its article, or stands beside that."""
    if node.tag in _OWN_PARTS:
        return True
    return False if node.tag == "aside" or find_names(name_of(node)) else None
