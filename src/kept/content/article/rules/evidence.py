"""What the rules ask of a part of a page: is it prose, a teaser, or comments; and is an article left without it."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.tree import ancestors, linked_length, name_of, short_text, text_of, weigh_text
from kept.content.article.rules.walks import is_inherited
from kept.content.article.rules.words import DATE_MARK, DATE_PARTS, ELSEWHERE, NEWSLETTER, REQUEST
from kept.content.markup import tags

# No box is one of these, nor holds them.
_PAGE_TAGS: Final = tags("html body main article")
PAGE_PARTS: Final = "h1, main, article, [itemprop~=articleBody]"
_ARTICLE_PARTS: Final = "h1, main, [itemprop~=articleBody]"
NAMED_COMMENTS: Final = '[class*="omment"], [id*="omment"], #disqus_thread'
# Whole names of a class or an id: "comments", "post-comments", "comment-list"; not "has-comments" or "comments-open".
COMMENTS: Final = re.compile(
    r"(?:^| )-(?:(?!(?:has|no|with|without|num|number|show|hide|view|count|open|closed|enable|disable)-)"
    r"[a-z0-9]{1,20}-){0,4}"
    r"(?:comments|kommentare|commentaires|commenti|commentlist|disqus-thread"
    r"|comments?-(?:list|area|sections?|wrapper|wrap|container|threads?|box|block|feed))"
    r"-(?= |$)"
)
FILE: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|zip|csv|mp3|mp4|epub)$", re.IGNORECASE)


def weigh_prose(node: LexborNode) -> int:
    """Weigh the prose of a block in letters of Latin: nothing if it is short, or if much of it is links."""
    text = text_of(node)
    weight = weigh_text(text)
    if weight < thresholds.SHORTEST_PROSE:
        return 0
    linked = linked_length(node)
    return max(0, weight - 2 * linked) if linked <= thresholds.LARGEST_LINKED_SHARE * len(text) else 0


def weigh_own_prose(node: LexborNode) -> int:
    """Weigh the text that stands right in a block, where pages without paragraphs have their prose."""
    weight = weigh_text(" ".join(node.text(deep=False).split()))
    return weight if weight >= thresholds.SHORTEST_PROSE else 0


def is_prose(node: LexborNode) -> bool:
    return weigh_prose(node) > 0


def is_teaser(box: LexborNode) -> bool:
    """Whether a box is short, and has the linked headline of another page."""
    if short_text(box, thresholds.LONGEST_TEASER) is None:
        return False
    return any(map(is_headline, box.css("a[href]")[: thresholds.MOST_NEAR]))


def is_headline(link: LexborNode) -> bool:
    text = short_text(link, thresholds.LONGEST_TEASER)
    return text is not None and weigh_text(text) >= thresholds.SHORTEST_HEADLINE and not is_date(text)


def are_comments(box: LexborNode) -> bool:
    """Whether a box is called so and holds entries, and is not around the article."""
    if box.tag == "body" or not COMMENTS.search(name_of(box)) or box.css_first(_ARTICLE_PARTS) is not None:
        return False
    return len(box.css(NAMED_COMMENTS)) >= thresholds.FEWEST_COMMENTS or box.css_first("textarea, time") is not None


def leads_within(href: str, host: str) -> bool:
    """Tell whether a link leads to another page of the same site, and not to a place on this one or to a file."""
    try:
        parts = urlsplit(href)
        named = parts.hostname or host
    except ValueError:
        return False
    if href.startswith("#") or parts.scheme not in {"", "http", "https"} or FILE.search(parts.path):
        return False
    return named.removeprefix("www.") == host.removeprefix("www.")


def is_date(text: str) -> bool:
    return DATE_MARK.search(text) is not None and len(DATE_PARTS.sub("", text)) <= thresholds.DATE_REST


def tells_of_others(text: str) -> bool:
    """Whether a heading says that what follows is no part of the article."""
    return len(text) <= thresholds.LONGEST_HEADING and any(
        words.match(text) for words in (ELSEWHERE, NEWSLETTER, REQUEST)
    )


def is_caption(node: LexborNode) -> bool:
    around = (node, *islice(ancestors(node), 3))
    return any("-caption-" in name_of(near) or near.tag == "figure" for near in around)


def stands_in_flow(box: LexborNode) -> bool:
    """Whether paragraphs stand right beside it, as beside what belongs to an article."""
    beside = islice(box.parent.iter(), thresholds.MOST_ELEMENTS) if box.parent is not None else ()
    return any(child.tag == "p" and is_prose(child) for child in beside)


def widen(node: LexborNode, longest: int) -> LexborNode:
    """Return the largest box around a node with a text of at most `longest` characters."""
    box = node
    for above in islice(ancestors(node), thresholds.HIGHEST):
        if above.tag in _PAGE_TAGS or short_text(above, longest) is None or above.css_first(PAGE_PARTS) is not None:
            break
        box = above
    return box


def leaves_article(body: LexborNode, boxes: Iterable[LexborNode], least: int = thresholds.LEAST_PROSE) -> bool:
    """Whether there is prose enough outside of the boxes."""
    left = 0
    for text in prose_outside(body, boxes):
        left += weigh_text(text)
        if left >= least:
            return True
    return False


def prose_outside(body: LexborNode, boxes: Iterable[LexborNode]) -> Iterator[str]:
    """Yield the texts of the blocks of prose that stand in none of the boxes."""
    ids = {box.mem_id for box in boxes}
    inside = is_inherited(lambda node: node.mem_id in ids)
    return (text_of(node) for node in _list_prose(body) if not inside.of(node))


def _list_prose(body: LexborNode) -> Iterator[LexborNode]:
    yield from filter(is_prose, islice(body.css("p"), thresholds.MOST_ELEMENTS))
    yield from filter(
        weigh_own_prose, islice(body.css("div, td, section, article, blockquote, li"), thresholds.MOST_ELEMENTS)
    )
