"""Removes what stands beside every entry of a discussion: who wrote it and since when they are here, and what one can
do with it. In an article such a box stands once, and is left to `prune`.
"""

import re
from collections import defaultdict
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import PAGE_PARTS, leaves_article, remove_all
from kept.content.article.prune.tree import name_of, short_text

# What programs for forums call them.
_NAMED: Final = (
    '[class*="profile"], [class*="user"], [class*="author"], [class*="poster"], [class*="post"], [class*="message"], '
    '[class*="signature"], [class*="vot"], [class*="action"], [class*="button"], [class*="tagline"], [class*="keyinfo"]'
)
_BESIDE: Final = re.compile(
    r"(?:^| )-(?:post-?profile|poster|signature|tagline|vote-?cell|voting(?:-container)?|votes|message-cell-user"
    r"|(?:post|message)-?(?:user|author|poster|attribution|actions?|action-bar|buttons|controls|menu|likes|tools|head|foot"
    r"|info|count)|(?:user|poster|member|author)-?(?:info|details|card|cell|box|panel|profile|stats|extras|meta|action-time)"
    r"|action-?(?:bar|links|list)|key-?info|node-?controls)-(?= |$)"
)
MOST_NAMED: Final = 3_000
FEWEST_ENTRIES: Final = 3
# A name, a rank, a number of posts, a day, a place, and a line below.
LONGEST_BOX: Final = 250


def remove_labels_of_entries(body: LexborNode) -> None:
    alike: dict[tuple[str, str], list[LexborNode]] = defaultdict(list)
    for node in body.css(_NAMED)[:MOST_NAMED]:
        if _BESIDE.search(name_of(node)):
            alike[node.tag or "", node.attributes.get("class") or ""].append(node)
    rows = [nodes for nodes in alike.values() if len(nodes) >= FEWEST_ENTRIES and all(map(is_short, nodes))]
    boxes = [node for nodes in rows for node in nodes]
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def is_short(node: LexborNode) -> bool:
    return short_text(node, LONGEST_BOX) is not None and node.css_first(PAGE_PARTS) is None
