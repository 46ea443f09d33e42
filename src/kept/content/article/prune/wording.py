"""Removes short blocks that say of themselves that they are not the article, and lists of links."""

from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.data import is_data
from kept.content.article.prune.entry_labels import find_entry_labels
from kept.content.article.prune.tree import Block, leaf_blocks, link_share, next_element, outermost, remove, text_of
from kept.content.article.prune.vocabulary import (
    ADVERTISEMENT,
    AGREEMENT,
    BUTTON,
    COOKIES,
    ELSEWHERE,
    MARKER,
    NEWSLETTER,
    POINTER,
    REQUEST,
    REQUEST_WITHIN,
    SIMILAR,
)
from kept.content.article.walks import shallow

# The longest request seen was some 380 characters; paragraphs that long rarely begin by accident like one.
LONGEST_PROMPT: Final = 400
LONGEST_HEADING: Final = 80
ARROWS: Final = "<>«»‹›←→ "
LONGEST_LIST: Final = 20


def remove_prompts(root: LexborNode) -> None:
    blocks = list(leaf_blocks(root))
    labels = find_entry_labels(blocks)
    remove({node.mem_id: node for node in (*labels, *(b.node for b in blocks if is_prompt(b)))}.values())


def is_prompt(block: Block) -> bool:
    text = block.text
    if is_data(block):
        return True
    if not text or len(text) > LONGEST_PROMPT:
        return False
    if POINTER.match(text) and block.link_share > (0.3 if block.is_heading else 0.4):
        return True
    if ADVERTISEMENT.match(text):
        return True
    if block.node.css_first("img") is not None:
        return False
    if MARKER.match(text) or not text.strip(ARROWS):
        return True
    if BUTTON.match(text):
        return not block.is_heading and block.node.tag != "li"
    return not block.is_heading and bool(
        REQUEST.match(text) or REQUEST_WITHIN.search(text) or (COOKIES.match(text) and AGREEMENT.search(text))
    )


def tells_of_others(text: str) -> bool:
    """Whether a heading says that what follows is no part of the article."""
    return len(text) <= LONGEST_HEADING and any(words.match(text) for words in (ELSEWHERE, NEWSLETTER, REQUEST))


def remove_link_lists(root: LexborNode) -> None:
    """A heading such as "Related stories" goes, with the links that follow it."""
    named = [block for block in leaf_blocks(root) if is_named_heading(block)]
    boxes = {box.mem_id for box in shallow(block.node.parent or root for block in named)}
    near = (block for block in named if (block.node.parent or root).mem_id in boxes)
    headings = [block.node for block in near if is_list_heading(block)]
    remove(outermost(node for heading in headings for node in (heading, *links_after(heading))))


def is_named_heading(block: Block) -> bool:
    if not block.text or len(block.text) > LONGEST_HEADING:
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
    while following is not None and len(found) < LONGEST_LIST and is_link_list(following):
        found.append(following)
        following = next_element(following)
    return found


def is_link_list(node: LexborNode) -> bool:
    """Mostly links: a paragraph may have many and still be prose, so more is asked of it."""
    if not text_of(node):
        return node.css_first("a img") is not None
    return link_share(node) > (0.7 if node.tag == "p" else 0.4)
