"""Removes the headlines and summaries of the site's other pages that stand in and around the article."""

import re
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import (
    HEADING,
    HEADINGS,
    ancestors,
    link_share,
    linked_length,
    outermost,
    previous_element,
    remove,
    remove_around,
    short_text,
    text_of,
)
from kept.content.article.prune.vocabulary import PRICE
from kept.content.article.walks import holders, is_inherited, shallow

# Looked for in a text's last characters alone: what ends a sentence may also follow it.
LONGEST_END: Final = 100
SENTENCE_END: Final = re.compile(r"[.!。！]\W*$")
FILE: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|zip|csv|mp3|mp4|epub)$", re.IGNORECASE)

# Beyond this share of the text such links are what the page is about: a round-up, a table of contents.
LARGEST_SHARE: Final = 0.15
# A list of teasers has so many items, each at most so long; and so much must be left of the article.
SHORTEST_LIST: Final = 3
LONGEST_LIST: Final = 100
LONGEST_TEASER: Final = 400
SHORTEST_ARTICLE: Final = 200


def remove_other_articles(root: LexborNode) -> None:
    """Beside an `article` that holds most of the text, small ones with a linked headline are teasers."""
    whole = len(text_of(root))
    sizes = [(node, len(text_of(node))) for node in outermost(root.css("article"))]
    if len(sizes) < 2 or max(size for _, size in sizes) < 0.5 * whole:
        return
    remove_around([node for node, size in sizes if size < 0.1 * whole and is_teaser(node)])


def is_teaser(node: LexborNode) -> bool:
    heading = node.css_first(HEADING)
    if heading is None:
        return link_share(node) > 0.5
    return linked_length(heading) > 0 or any(above.tag == "a" for above in ancestors(heading))


def remove_teaser_lists(root: LexborNode, host: str, *, may_be_article: bool) -> None:
    """What holds nothing but linked headlines of the same site with a summary each, if an article is left without it.

    Within the page's own `article` it may be what the article is about: a round-up.
    """
    with_headings = holders(root.css(HEADING))
    in_article = is_inherited(lambda node: node.tag == "article")
    boxes = (node for node in root.css("section, div, ul, ol") if node.mem_id in with_headings)
    lists = outermost(node for node in boxes if is_teaser_list(node, host, with_headings) and not in_article.of(node))
    listed = sum(len(text_of(node)) for node in lists)
    if len(text_of(root)) - listed >= max(SHORTEST_ARTICLE, 0 if may_be_article else listed):
        remove_around(lists)


def is_teaser_list(node: LexborNode, host: str, with_headings: set[int]) -> bool:
    items = [child for child in islice(node.iter(), LONGEST_LIST) if child.tag not in HEADINGS]
    if len(items) < SHORTEST_LIST or any(item.mem_id not in with_headings for item in items):
        return False
    return all(is_linked_teaser(item, host) for item in items)


def is_linked_teaser(node: LexborNode, host: str) -> bool:
    if short_text(node, LONGEST_TEASER) is None:
        return False
    heading = node.css_first(HEADING)
    if heading is None or linked_length(heading) < 0.9 * len(text_of(heading)):
        return False
    hrefs = {link.attributes.get("href") or "" for link in node.css("a[href]")}
    return len(hrefs) == 1 and leads_within(hrefs.pop(), host)


def remove_stray_links(root: LexborNode, host: str) -> None:
    """A paragraph or list between paragraphs that is nothing but headlines of the same site's other pages."""
    stray = [node for node in shallow(root.css("p, ul")) if is_stray(node, host)]
    if sum(len(text_of(node)) for node in stray) < LARGEST_SHARE * len(text_of(root)):
        remove(stray)


def is_stray(node: LexborNode, host: str) -> bool:
    if node.parent is None or node.parent.tag in {"li", "td", "th", "dd", "dt"} or is_introduced(node):
        return False
    if node.tag == "p":
        return is_headline(node, host, least_words=5)
    items = [child for child in node.iter() if child.tag == "li"]
    return len(items) >= 2 and all(is_headline(item, host, least_words=3) for item in items)


def is_headline(node: LexborNode, host: str, *, least_words: int) -> bool:
    links = node.css("a[href]")
    if len(links) != 1 or node.css_first("img") is not None:
        return False
    text = text_of(node)
    return (
        len(text_of(links[0])) >= 0.9 * len(text)
        and len(text.split()) >= least_words
        and not SENTENCE_END.search(text[-LONGEST_END:])
        and not PRICE.search(text)
        and leads_within(links[0].attributes.get("href") or "", host)
    )


def leads_within(href: str, host: str) -> bool:
    """To another page of the same site; a place on this page, or a file to download, does not count."""
    try:
        parts = urlsplit(href)
        named = parts.hostname or host
    except ValueError:
        return False
    if href.startswith("#") or parts.scheme not in {"", "http", "https"} or FILE.search(parts.path):
        return False
    return named.removeprefix("www.") == host.removeprefix("www.")


def is_introduced(node: LexborNode) -> bool:
    before = previous_element(node)
    return before is not None and (before.tag in HEADINGS or text_of(before).endswith((":", "：")))
