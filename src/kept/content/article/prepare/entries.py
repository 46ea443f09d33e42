"""Removes what stands beside every entry of a discussion: who wrote it and since when they are here, and what one can
do with it. In an article such a box stands once, and is left to `prune`.
"""

import re
from collections import defaultdict
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.page_types import says_article
from kept.content.article.prepare.boxes import PAGE_PARTS, leaves_article, remove_all
from kept.content.article.prune.tree import HEADING, is_own_image, name_of, short_text

# What programs for forums call them.
_NAMED: Final = (
    '[class*="profile"], [class*="user"], [class*="author"], [class*="poster"], [class*="post"], [class*="message"], '
    '[class*="signature"], [class*="vot"], [class*="action"], [class*="button"], [class*="tagline"], [class*="keyinfo"]'
)
_BESIDE: Final = re.compile(
    r"(?:^| )-(?:post-?profile|poster|signature|vote-?cell|voting(?:-container)?|votes|message-cell-user"
    r"|(?:post|message)-?(?:user|author|poster|attribution|actions?|action-bar|buttons|controls|menu|likes|tools|head|foot"
    r"|info|count)|(?:user|poster|member|author)-?(?:info|details|card|cell|box|panel|profile|stats|extras|meta|action-time)"
    r"|action-?(?:bar|links|list)|key-?info|node-?controls)-(?= |$)"
)
# In discussions it tells votes and hours; elsewhere it is a motto.
_TAGLINE: Final = re.compile(r"(?:^| )-tagline-(?= |$)")
_NUMBER: Final = re.compile(r"\d")
MOST_NAMED: Final = 3_000
FEWEST_ENTRIES: Final = 3
# A name, a rank, a number of posts, a day, a place, and a line below.
LONGEST_BOX: Final = 250


def remove_labels_of_entries(page: LexborHTMLParser) -> None:
    """Not from a page that says that it is an article: there, posters are of films, and authors are introduced."""
    body = page.body
    if body is None or says_article(page):
        return
    alike: dict[tuple[str, str], list[LexborNode]] = defaultdict(list)
    for node in body.css(_NAMED)[:MOST_NAMED]:
        if _BESIDE.search(name_of(node)) or _TAGLINE.search(name_of(node)):
            alike[node.tag or "", node.attributes.get("class") or ""].append(node)
    rows = [nodes for nodes in alike.values() if len(nodes) >= FEWEST_ENTRIES and all(map(is_label, nodes))]
    boxes = [node for nodes in rows for node in nodes]
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def is_label(node: LexborNode) -> bool:
    """Short, with nothing that readers come for."""
    text = short_text(node, LONGEST_BOX)
    if not text or (_TAGLINE.search(name_of(node)) and not _NUMBER.search(text)):
        return False
    return node.css_first(f"{PAGE_PARTS}, {HEADING}") is None and not any(map(is_own_image, node.css("img")))
