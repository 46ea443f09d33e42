"""The main part of a page that is no article: what a firm offers, a product, the people of a club.

Readability takes the section with most sentences, and leaves the others. Where a page does not say that it is an
article, and its main part has clearly more text beside that section, the main part is taken: decision 15.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.candidates import find_part_with_title, list_prose, share_found, without_spaces
from kept.content.article.page_types import says_other_type
from kept.content.article.prepare.streams import WHOLE_DATE
from kept.content.article.prune.tree import (
    leaf_nodes,
    linked_length,
    linked_weight,
    name_of,
    outermost,
    text_of,
    weigh_text,
)

_MAIN: Final = "main, [role=main]"
MOST_MAIN: Final = 20
_REVIEWS: Final = re.compile(
    r"-reviews?-(?:list|section|widget|container|block|area|wrapper|feed)-"
    r"|(?:^| )-(?:[a-z]{1,20}-){0,2}reviews-(?= |$)"
)
MOST_NAMED: Final = 500
FEWEST_REVIEWS: Final = 4  # elements called so: the box, and what a review is made of
# An answer with more prose is an article, whatever the page says.
LONGEST_PART: Final = 3_000
# Of the answer's prose: otherwise the main part is about something else.
LEAST_SHARED: Final = 0.9
# What the main part must have beside the answer.
LEAST_MORE: Final = 150
LEAST_SHARE_OF_MORE: Final = 0.25
# Of the text that comes with it: more is a list of other pages.
LARGEST_LINKED_SHARE: Final = 0.4
# Other articles have dates, and what readers wrote.
MOST_DATES: Final = 1
MOST_BLOCKS: Final = 600
BLOCK_START: Final = 60
MOST_TEXT: Final = 1_000_000


def find_main_part(page: LexborHTMLParser, densest: LexborNode) -> LexborNode | None:
    """What the page calls so; if it says what it is, the smallest part with its title and most of its prose."""
    assert page.body is not None
    found = outermost(page.body.css(_MAIN)[:MOST_MAIN])
    if found:
        return found[0] if len(found) == 1 else None
    return find_part_with_title(densest) if says_other_type(page) else None


def is_part(root: LexborNode, main: LexborNode) -> bool:
    """Whether an answer may be only a part of what the page is about."""
    answer = len(text_of(root))
    more = len(text_of(main)) - linked_length(main) - answer
    return answer <= LONGEST_PART and more >= max(LEAST_MORE, LEAST_SHARE_OF_MORE * answer)


def completes_part(whole: LexborNode, root: LexborNode) -> bool:
    """Whether the main part, pruned, has the answer and text beside it that is not mostly links."""
    if share_found(list_prose(root), whole) < LEAST_SHARED:
        return False
    known = without_spaces(root.text(separator=" ")[:MOST_TEXT])
    more = [node for node in leaf_nodes(whole)[:MOST_BLOCKS] if is_new(node, known)]
    weight = sum(weigh_text(text_of(node)) for node in more)
    linked = sum(map(linked_weight, more))
    least = max(LEAST_MORE, LEAST_SHARE_OF_MORE * weigh_text(text_of(root)))
    if sum(WHOLE_DATE.search(text_of(node)) is not None for node in more) > MOST_DATES:
        return False
    return weight - linked >= least and linked <= LARGEST_LINKED_SHARE * weight


def remove_reviews(root: LexborNode) -> None:
    """Of readers and buyers: where there are many they are most of the page."""
    named = root.css('[class*="review" i], [id*="review" i]')[:MOST_NAMED]
    boxes = outermost(node for node in named if _REVIEWS.search(name_of(node)))
    ids = {node.mem_id for node in named}
    for box in boxes:
        if sum(node.mem_id in ids for node in box.traverse()) >= FEWEST_REVIEWS:
            box.decompose()


def is_new(node: LexborNode, known: str) -> bool:
    begins = without_spaces(text_of(node))[:BLOCK_START]
    return bool(begins) and begins not in known
