"""Puts back lists and tables that stand beside the text in the same part of the page: ingredients, steps, features.

Readability weighs commas and sentences, so that of two columns it takes the one with sentences. What leads elsewhere
is left out: on the pages looked at, prose that Readability left out was other stories, lists without links were not.
"""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.candidates import Opinions, find_part_with_title, list_prose, remove_unseen, share_found
from kept.content.article.image_sources import resolve_images
from kept.content.article.prune.boxes import LONGEST_OFFER
from kept.content.article.prune.hints import find_names
from kept.content.article.prune.tree import (
    HEADING,
    HEADINGS,
    ancestors,
    hint_of,
    leaf_nodes,
    link_share,
    previous_element,
    short_text,
    text_of,
)
from kept.content.article.prune.vocabulary import PAYWALL
from kept.content.article.prune.wording import tells_of_others
from kept.content.article.tidy import parse_body
from kept.content.article.walks import shallow
from kept.content.markup import tags

_LISTS: Final = "ul, ol, dl, table"
_LIST_TAGS: Final = tags("ul ol dl table")
_ITEMS: Final = "li, dd, tr"
# Nothing in these is put back.
_BESIDE: Final = tags("nav aside form footer header button dialog menu figure noscript select")
# Each item is looked for in the whole text, and each list that is put back needs its place found.
MOST_LISTS: Final = 40
MOST_ITEMS: Final = 60
MOST_PUT_BACK: Final = 10
MOST_TEXT: Final = 1_000_000
SHORTEST_LIST: Final = 3  # items
LEAST_TEXT: Final = 40
LARGEST_LINKED_SHARE: Final = 0.2
_NO_LETTERS: Final = re.compile(r"[\W_]+")
# An item is known by how it begins or ends: Readability and prune take away numbers and boxes to tick.
ITEM_PART: Final = 40
# Of a list's items: a list that is there in part was shortened on purpose.
LARGEST_SHARE_FOUND: Final = 0.3
# Of the article's prose: otherwise the lists are not those of this article.
LEAST_SHARED: Final = 0.5
LONGEST_HEADING: Final = 80
HIGHEST_HEADING: Final = 3
LONGEST_KEY: Final = 60
SHORTEST_KEY: Final = 20


def put_back_lists(root: LexborNode, opinions: Opinions) -> None:
    region = find_region(opinions)
    lists = [node for node in shallow(region.css(_LISTS)[:MOST_LISTS], 0) if may_belong(node, region)]
    if not lists:
        return
    whole = letters_of(root.text()[:MOST_TEXT])
    missing = [node for node in lists if is_missing(node, whole)]
    if not missing or share_found(list_prose(root), region) < LEAST_SHARED:
        return
    for node in missing[:MOST_PUT_BACK]:
        if is_missing(node, whole):  # pages repeat a list for small screens
            put_back(node, root, region, whole)
            whole += letters_of(node.text())


def find_region(opinions: Opinions) -> LexborNode:
    """What the page calls its article, if the prose is in it; otherwise what holds the prose and the title."""
    around = [opinions.densest, *ancestors(opinions.densest)]
    if opinions.own is not None and any(node.mem_id == opinions.own.mem_id for node in around):
        return opinions.own
    return find_part_with_title(opinions.densest) or opinions.densest


def may_belong(node: LexborNode, region: LexborNode) -> bool:
    items = node.css(_ITEMS)[:MOST_ITEMS]
    if len(items) < SHORTEST_LIST or len(text_of(node)) < LEAST_TEXT or link_share(node) > LARGEST_LINKED_SHARE:
        return False
    if sum(item.css_first("img") is not None for item in items) > 0.5 * len(items):
        return False
    around = [node]
    for above in ancestors(node):
        if above.mem_id == region.mem_id:
            break
        around.append(above)
    if any(above.tag in _LIST_TAGS for above in around[1:]) or any(map(stands_beside, around)):
        return False
    if any(map(is_offer, around[1:HIGHEST_HEADING])):
        return False
    return not any(map(tells_of_others, (text_of(items[0]), text_of(find_heading(node) or items[0]))))


def stands_beside(node: LexborNode) -> bool:
    return node.tag in _BESIDE or bool(find_names(hint_of(node)))


def is_offer(box: LexborNode) -> bool:
    """What one gets who pays for the rest of the article."""
    heading = box.css_first(HEADING)
    return heading is not None and PAYWALL.match(text_of(heading)) is not None and bool(short_text(box, LONGEST_OFFER))


def is_missing(node: LexborNode, whole: str) -> bool:
    items = [letters_of(item.text()) for item in shallow(node.css(_ITEMS)[:MOST_ITEMS])]
    found = sum(item[:ITEM_PART] in whole or item[-ITEM_PART:] in whole for item in items)
    return found <= LARGEST_SHARE_FOUND * len(items)


def letters_of(text: str) -> str:
    return _NO_LETTERS.sub("", text)


def find_heading(node: LexborNode) -> LexborNode | None:
    """What stands before the list or the box that begins with it, if that is a heading."""
    for inner in (node, *islice(ancestors(node), HIGHEST_HEADING)):
        before = previous_element(inner)
        if before is not None:
            return heading_in(before)
    return None


def heading_in(node: LexborNode) -> LexborNode | None:
    words = short_text(node, LONGEST_HEADING)
    heading = node if node.tag in HEADINGS else node.css_first(HEADING)
    is_alone = words and heading is not None and heading.tag != "h1" and text_of(heading) == words
    return heading if is_alone else None


def put_back(node: LexborNode, root: LexborNode, region: LexborNode, whole: str) -> None:
    """Before what follows it on the page, or at the end."""
    copy = parse_body(node.html or "")
    if copy is None:
        return
    remove_unseen(copy)
    resolve_images(copy)
    if copy.first_child is None:  # the list itself is hidden
        return
    heading = find_heading(node)
    pieces = [heading] if heading is not None and letters_of(text_of(heading)) not in whole else []
    place = find_place(node, root, region)
    for piece in (*pieces, copy.first_child):
        if place is None:
            root.insert_child(piece)
        else:
            place.insert_before(piece)


def find_place(node: LexborNode, root: LexborNode, region: LexborNode) -> LexborNode | None:
    blocks = {key: block for block in reversed(leaf_nodes(root)) if (key := key_of(block))}
    own = {inner.mem_id for inner in node.traverse(include_text=False)}
    is_after = False
    for block in leaf_nodes(region):
        is_own = block.mem_id in own
        if is_after and not is_own and (found := blocks.get(key_of(block))) is not None:
            return climb(found, root)
        is_after = is_after or is_own
    return None


def key_of(block: LexborNode) -> str:
    """How it begins, if that is long enough to know it by; a heading may be short."""
    key = letters_of(text_of(block))[:LONGEST_KEY]
    if block.tag in HEADINGS:
        return f"{key}#"
    return key if len(key) >= SHORTEST_KEY else ""


def climb(block: LexborNode, root: LexborNode) -> LexborNode:
    """The largest element that begins with the block: a list must not stand in another, nor in a heading's wrapper."""
    highest = block
    for above in ancestors(block):
        if above.mem_id == root.mem_id or previous_element(highest) is not None:
            break
        highest = above
    return highest
