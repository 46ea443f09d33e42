"""Removes single lines that say of themselves that they are not the article, and lists of links below such a line."""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import is_caption
from kept.content.article.rules.facts import Subject
from kept.content.article.rules.tree import (
    Block,
    ancestors,
    leaf_blocks,
    leaf_nodes,
    link_share,
    name_of,
    next_element,
    outermost,
    remove,
    text_of,
)
from kept.content.article.rules.walks import shallow
from kept.content.article.rules.words import (
    ADVERTISEMENT,
    AGREEMENT,
    BUTTON,
    COOKIES,
    ELSEWHERE,
    MARKER,
    POINTER,
    REQUEST,
    REQUEST_WITHIN,
    SIMILAR,
)
from kept.content.markup import tags

_ARROWS: Final = "<>«»‹›←→ "
# A brace and a quoted name; or a bare name, where a number, another brace or a quotation follows. Not a bracket alone:
# editors write notes in them.
DATA: Final = re.compile(
    r"""\[?\s{0,20}\{\s{0,20}(?:["'][\w .:-]{1,60}["']\s{0,5}:|\w{1,60}\s{0,5}:\s{0,5}[\d"'{\[])"""
)
# Here it is shown to the reader.
_SHOWN: Final = tags("pre code samp kbd blockquote")
_SHOWN_WITHIN: Final = "pre, code, samp, kbd"
_CODE: Final = re.compile(r"-(?:code|highlight|syntax|json|snippet|examples?|listing|source)-")


def remove_prompts(root: LexborNode, _subject: Subject) -> None:
    remove([block.node for block in leaf_blocks(root) if is_prompt(block) or is_data(block)])


def is_prompt(block: Block) -> bool:
    text = block.text
    if not text or len(text) > thresholds.LONGEST_PROMPT:
        return False
    if ADVERTISEMENT.match(text) or (POINTER.match(text) and block.link_share > thresholds.LARGEST_LINKED_SHARE):
        return True
    if block.node.css_first("img") is not None:
        return False
    if MARKER.match(text) or not text.strip(_ARROWS):
        return True
    if block.is_heading:
        return False
    return (BUTTON.match(text) is not None and block.node.tag != "li") or is_request(text)


def is_request(text: str) -> bool:
    if REQUEST.match(text) or REQUEST_WITHIN.search(text):
        return True
    return COOKIES.match(text) is not None and AGREEMENT.search(text) is not None


def is_data(block: Block) -> bool:
    """What scripts read: JSON that a page has in its text, hidden by a style sheet that we do not see."""
    text = block.text
    if len(text) < thresholds.SHORTEST_DATA or text[0] not in "{[" or not text.rstrip("; ").endswith(("}", "]")):
        return False
    return DATA.match(text) is not None and not is_code(block)


def is_code(block: Block) -> bool:
    if block.node.css_first(_SHOWN_WITHIN) is not None:
        return True
    around = (block.node, *islice(ancestors(block.node), thresholds.HIGHEST))
    return any(node.tag in _SHOWN or _CODE.search(name_of(node)) is not None for node in around)


def remove_link_lists(root: LexborNode, _subject: Subject) -> None:
    """A heading such as "Related stories" goes, with the links that follow it."""
    named = [block for block in leaf_blocks(root) if is_named_heading(block)]
    boxes = {box.mem_id for box in shallow(block.node.parent or root for block in named)}
    near = (block for block in named if (block.node.parent or root).mem_id in boxes)
    headings = [block.node for block in near if is_list_heading(block)]
    remove(outermost(node for heading in headings for node in (heading, *links_after(heading))))


def is_named_heading(block: Block) -> bool:
    if not block.text or len(block.text) > thresholds.LONGEST_HEADING:
        return False
    return (ELSEWHERE.match(block.text) or SIMILAR.match(block.text)) is not None


def is_list_heading(block: Block) -> bool:
    if block.is_heading and ELSEWHERE.match(block.text):
        return True
    following = next_element(block.node)
    return following is not None and is_link_list(following)


def links_after(heading: LexborNode) -> list[LexborNode]:
    found: list[LexborNode] = []
    following = next_element(heading)
    while following is not None and len(found) < thresholds.MOST_NEAR and is_link_list(following):
        found.append(following)
        following = next_element(following)
    return found


def is_link_list(node: LexborNode) -> bool:
    """Mostly links: a paragraph may have many and still be prose, so more is asked of it."""
    if not text_of(node):
        return node.css_first("a img") is not None
    return link_share(node) > (thresholds.MOSTLY_LINKED if node.tag == "p" else thresholds.LARGEST_LINKED_SHARE)


def remove_repeated_captions(root: LexborNode, _subject: Subject) -> None:
    """Slide shows carry each caption several times: whole, shortened, and beside the controls."""
    said: set[str] = set()
    doomed: list[LexborNode] = []
    for node in leaf_nodes(root):
        text = text_of(node)
        if len(text) >= thresholds.SHORTEST_HEADLINE and text in said and is_caption(node):
            doomed.append(node)
        said.add(text)
    remove(doomed)
