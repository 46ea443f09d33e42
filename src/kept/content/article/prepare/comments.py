"""Removes what readers wrote below an article: often more than the article itself.

`prune` knows the same names, but removes nothing that is most of the text.
"""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import leaves_article, remove_all
from kept.content.article.prune.tree import name_of

_NAMED: Final = '[class*="omment"], [id*="omment"], #disqus_thread'
# Whole names of a class or an id: "comments", "post-comments", "comment-list"; not "has-comments" or "comments-open".
_COMMENTS: Final = re.compile(
    r"(?:^| )-(?:(?!(?:has|no|with|without|num|number|show|hide|view|count|open|closed|enable|disable)-)"
    r"[a-z0-9]{1,20}-){0,4}"
    r"(?:comments|kommentare|commentaires|commenti|commentlist|disqus-thread"
    r"|comments?-(?:list|area|sections?|wrapper|wrap|container|threads?|box|block|feed))"
    r"-(?= |$)"
)
_ARTICLE: Final = "h1, main, [itemprop~=articleBody]"
MOST_NAMED: Final = 500
# Each is looked through to its end, and a page may nest them.
MOST_BOXES: Final = 20
# Beside the box itself: each comment is called one, or has a part that is.
LEAST_ENTRIES: Final = 3


def remove_comments(body: LexborNode) -> None:
    """Not where the page is a discussion: then there is no article beside."""
    named = (node for node in body.css(_NAMED)[:MOST_NAMED] if _COMMENTS.search(name_of(node)))
    boxes = list(filter(holds_comments, islice(named, MOST_BOXES)))
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def holds_comments(node: LexborNode) -> bool:
    if node.tag == "body" or node.css_first(_ARTICLE) is not None:
        return False
    return len(node.css(_NAMED)) >= LEAST_ENTRIES or node.css_first("textarea, time") is not None
