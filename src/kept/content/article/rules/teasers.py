"""Removes the headlines and summaries of the site's other pages that stand in and around the article."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import is_teaser, leads_within
from kept.content.article.rules.facts import Subject
from kept.content.article.rules.tree import HEADINGS, outermost, previous_element, remove, remove_around, text_of
from kept.content.article.rules.walks import shallow
from kept.content.article.rules.words import PRICE

SENTENCE_END: Final = re.compile(r"[.!。！]\W*$")


def remove_other_articles(root: LexborNode, _subject: Subject) -> None:
    """Beside an `article` that holds most of the text, small ones with a linked headline are teasers."""
    whole = len(text_of(root))
    sizes = [(node, len(text_of(node))) for node in outermost(root.css("article"))]
    if len(sizes) < 2 or max(size for _, size in sizes) < thresholds.LEAST_SHARE_OF_ARTICLE * whole:
        return
    remove_around(
        [node for node, size in sizes if size < thresholds.LARGEST_SHARE_OF_OTHERS * whole and is_teaser(node)]
    )


def remove_stray_links(root: LexborNode, subject: Subject) -> None:
    """A paragraph or list between paragraphs that is nothing but headlines of the same site's other pages."""
    stray = [node for node in shallow(root.css("p, ul")) if is_stray(node, subject.host)]
    if sum(len(text_of(node)) for node in stray) < thresholds.LARGEST_STRAY_SHARE * len(text_of(root)):
        remove(stray)


def is_stray(node: LexborNode, host: str) -> bool:
    if node.parent is None or node.parent.tag in {"li", "td", "th", "dd", "dt"} or is_introduced(node):
        return False
    if node.tag == "p":
        return is_linked_line(node, host, thresholds.FEWEST_WORDS_OF_LINE)
    items = [child for child in node.iter() if child.tag == "li"]
    return len(items) >= 2 and all(is_linked_line(item, host, thresholds.FEWEST_WORDS_OF_ITEM) for item in items)


def is_linked_line(node: LexborNode, host: str, fewest_words: int) -> bool:
    links = node.css("a[href]")
    if len(links) != 1 or node.css_first("img") is not None:
        return False
    text = text_of(node)
    return (
        len(text_of(links[0])) >= thresholds.WHOLLY_LINKED * len(text)
        and len(text.split()) >= fewest_words
        and not SENTENCE_END.search(text[-thresholds.LONGEST_END :])
        and not PRICE.search(text)
        and leads_within(links[0].attributes.get("href") or "", host)
    )


def is_introduced(node: LexborNode) -> bool:
    before = previous_element(node)
    return before is not None and (before.tag in HEADINGS or text_of(before).endswith((":", "：")))
