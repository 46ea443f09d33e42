"""Removes what stands before the article's first sentence and after its last: title, byline, date, credit."""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import is_caption, is_date
from kept.content.article.rules.facts import Subject
from kept.content.article.rules.tree import (
    DENSE,
    Block,
    as_block,
    first_blocks,
    hint_of,
    leaf_nodes,
    remove,
    weigh_text,
)
from kept.content.article.rules.words import BREADCRUMB, BYLINE, CREDIT, FOOTER, RIGHTS

_LABELS: Final = (
    "by-?line|authors?|writer|dates?|date-?line|date-?time|time|timestamp|published?|updated|modified|posted",
    "meta|metadata|kicker|eyebrow|category|categories|label|section-name|rubric|tags?|views|location|read-?time",
    "breadcrumb|headline|title",
)
LABEL: Final = re.compile(f"-(?:{'|'.join(_LABELS)})-")
SENTENCE_END: Final = re.compile(r"[.!?…。！？」”\"'’)]\W*$")

_TOKEN: Final = re.compile(rf"[{DENSE}]|[^\W{DENSE}]+")


def remove_opening(root: LexborNode, subject: Subject) -> None:
    """Before the first paragraph of substance: what repeats the title, or names author, date or section.

    Words that stood loose beside a label are a block of their own once it has gone, so there are several rounds.
    """
    for _ in range(thresholds.MOST_ROUNDS):
        labels = [block.node for block in find_opening(root) if is_label(block, subject)]
        if not labels:
            return
        remove(labels)


def find_opening(root: LexborNode) -> list[Block]:
    """None if there is no paragraph of substance."""
    opening: list[Block] = []
    for block in islice(first_blocks(root), thresholds.MOST_BOXES):
        if is_substance(block):
            return opening
        opening.append(block)
    return []


def is_substance(block: Block) -> bool:
    return (
        block.node.tag in {"p", "div", "blockquote", "section", "article"}
        and weigh_text(block.text) >= thresholds.SHORTEST_FIRST_PARAGRAPH
        and not BYLINE.match(block.text)
        and not is_breadcrumb(block)
        and block.link_share < 0.5
        and not is_caption(block.node)
    )


def is_label(block: Block, subject: Subject) -> bool:
    text = block.text
    if is_caption(block.node):
        return False
    if any(repeats(text, title) for title in subject.titles) or is_breadcrumb(block):
        return True
    if not text or block.is_heading or len(text) > thresholds.LONGEST_LABEL:
        return False
    if is_date(text) or names(text, subject.byline) or (BYLINE.match(text) and len(text) < thresholds.LONGEST_LABEL):
        return True
    if block.link_share > thresholds.NEARLY_LINKED and block.node.tag != "li" and not SENTENCE_END.search(text):
        return True
    return any(LABEL.search(hint_of(node)) for node in (block.node, *block.node.css("span, time, a")))


def is_breadcrumb(block: Block) -> bool:
    """It may end with the title, whatever that is long."""
    return len(block.text) <= thresholds.LONGEST_BREADCRUMB and BREADCRUMB.match(block.text) is not None


def repeats(text: str, title: str) -> bool:
    """Is the text the title, or the title with a little more or less?"""
    said, told = words(text), words(title)
    common = len(said & told)
    return (
        len(said) > 1
        and common >= thresholds.LEAST_REPEATED * len(said)
        and common >= thresholds.LEAST_OF_TITLE * len(told)
    )


def words(text: str) -> set[str]:
    return set(_TOKEN.findall(text.lower()))


def names(text: str, byline: str) -> bool:
    if not byline or text.endswith("."):
        return False
    return byline.lower() in text.lower() and len(text) <= len(byline) + thresholds.LONGEST_BESIDE_NAME


def remove_closing(root: LexborNode, _subject: Subject) -> None:
    """From the end, until the article's own text: the site's footer, credits, and headings that head nothing."""
    nodes = leaf_nodes(root)
    doomed = find_footer(nodes)
    for node in reversed(nodes[: len(nodes) - len(doomed)]):
        block = as_block(node)
        if block.is_heading or is_credit(block):
            doomed.append(node)
        elif block.text or node.css_first("img") is not None:
            break
    remove(reversed(doomed))


def find_footer(nodes: list[LexborNode]) -> list[LexborNode]:
    """Where nothing in the markup says so: links to the terms, the imprint and the like, and a line or two on rights.

    From the last block on; other links among them are part of it as long as they are not more.
    """
    links = named = remarks = length = 0
    for at, node in enumerate(islice(reversed(nodes), thresholds.LONGEST_FOOTER), 1):
        block = as_block(node)
        if (
            block.text
            and block.link_share > thresholds.NEARLY_LINKED
            and len(block.text) <= thresholds.LONGEST_FOOTER_LINK
        ):
            links += 1
            named += FOOTER.match(block.text) is not None
            if named >= max(thresholds.FEWEST_FOOTER_LINKS, 0.5 * links):
                length = at
        elif block.text and not block.is_heading:
            remarks += 1
            if remarks > thresholds.MOST_REMARKS or not is_remark(block.text):
                break
    return nodes[::-1][:length] if length < len(nodes) else []


def is_remark(text: str) -> bool:
    return len(text) <= thresholds.LONGEST_REMARK and RIGHTS.search(text) is not None


def is_credit(block: Block) -> bool:
    return len(block.text) < thresholds.LONGEST_CREDIT and CREDIT.match(block.text) is not None
