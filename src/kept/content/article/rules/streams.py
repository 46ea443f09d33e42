"""Before Readability: removes streams of teasers, rows of boxes with the headline and summary of another page each.

Where the article is short, Readability takes the stream for it: there is more prose in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import (
    is_date,
    is_headline,
    leads_within,
    leaves_article,
    prose_outside,
    stands_in_flow,
)
from kept.content.article.rules.facts import PageFacts
from kept.content.article.rules.tree import BLOCKS, HEADING, HEADINGS, ancestors, remove_all, short_text, text_of
from kept.content.article.rules.walks import shallow
from kept.content.article.rules.words import ELSEWHERE, PRICE, WHOLE_DATE
from kept.content.markup import tags

_NO_TEASER: Final = "blockquote, pre, table, iframe, math"
_PAGE: Final = tags("html body main")


@dataclass(frozen=True, slots=True)
class Stream:
    parent: LexborNode
    teasers: list[LexborNode] = field(default_factory=list)

    def are_most(self, has: Callable[[LexborNode], bool]) -> bool:
        return sum(map(has, self.teasers)) > 0.5 * len(self.teasers)

    def boxes(self) -> list[LexborNode]:
        """The teasers, with what stands around nothing else."""
        rest = len(text_of(self.parent)) - sum(len(text_of(teaser)) for teaser in self.teasers)
        return [self.parent] if rest <= thresholds.LONGEST_REST and self.parent.tag not in _PAGE else self.teasers


def remove_streams(body: LexborNode, page: PageFacts) -> None:
    """Within the page's own `article`, or between its paragraphs, such a row may be what the article is about."""
    if page.is_collection:
        return
    streams = filter(is_stream, find_streams(body, page)[: thresholds.MOST_LOOKED_THROUGH])
    others = [stream for stream in streams if is_of_others(stream, body, page)]
    boxes = [box for stream in others for box in stream.boxes()]
    if not boxes or not leaves_article(body, boxes):
        return
    if page.says_article or not (is_front_page(body, page, boxes) or is_list(body, page, others, boxes)):
        remove_all(boxes)


def is_front_page(body: LexborNode, page: PageFacts, boxes: list[LexborNode]) -> bool:
    """Of a site or one of its parts: where a page does not say that it is an article, it must have more of one."""
    return urlsplit(page.url).path in {"", "/"} or not leaves_article(body, boxes, thresholds.LEAST_PROSE_OF_ARTICLE)


def is_list(body: LexborNode, page: PageFacts, streams: list[Stream], boxes: list[LexborNode]) -> bool:
    """Of what a firm offers or a town has: longer than the words around it, and not of articles."""
    if page.may_be_article or any(map(is_of_articles, streams)):
        return False
    left = list(prose_outside(body, boxes))
    return len(left) <= thresholds.MOST_INTRODUCTION and sum(map(len, left)) < sum(len(text_of(box)) for box in boxes)


def find_streams(body: LexborNode, page: PageFacts) -> list[Stream]:
    headlines = [link for link in body.css("a[href]")[: thresholds.MOST_ELEMENTS] if stands_as_headline(link, page)]
    found: dict[int, Stream] = {}
    if len(headlines) < thresholds.FEWEST_TEASERS:
        return []
    for teaser in find_teasers(headlines):
        add_to(found, teaser.parent, [teaser])
    rows: dict[int, Stream] = {}
    for stream in found.values():
        if len(stream.teasers) < thresholds.FEWEST_TEASERS:
            add_to(rows, stream.parent.parent, stream.teasers)
    streams = [
        stream for stream in (*found.values(), *rows.values()) if len(stream.teasers) >= thresholds.FEWEST_TEASERS
    ]
    parents = {parent.mem_id for parent in shallow(stream.parent for stream in streams)}
    return [stream for stream in streams if stream.parent.mem_id in parents]


def add_to(streams: dict[int, Stream], parent: LexborNode | None, teasers: list[LexborNode]) -> None:
    if parent is not None:
        streams.setdefault(parent.mem_id, Stream(parent)).teasers.extend(teasers)


def stands_as_headline(link: LexborNode, page: PageFacts) -> bool:
    """In a line of its own, and not the date of what a reader wrote, which leads to a place on this page."""
    href = link.attributes.get("href") or ""
    if not is_headline(link) or not leads_within(href, page.host) or not stands_alone(link, text_of(link)):
        return False
    return not ("#" in href and urlsplit(href).path.rstrip("/") in {"", urlsplit(page.url).path.rstrip("/")})


def stands_alone(link: LexborNode, text: str) -> bool:
    """But for a date or a place beside it: a link within a sentence is no headline."""
    block = next((above for above in islice(ancestors(link), thresholds.HIGHEST_LINE) if above.tag in BLOCKS), None)
    if block is None:
        return False
    if block.tag in HEADINGS or any(child.tag in BLOCKS for child in link.iter()) or is_line(link, block):
        return True
    beside = thresholds.LARGEST_REST_OF_LINE * len(text)
    beside = beside if block.tag == "p" else max(beside, thresholds.LONGEST_HEADLINE_LABEL)
    return short_text(block, int(len(text) + beside)) is not None


def is_line(link: LexborNode, block: LexborNode) -> bool:
    """Whether a block begins with the link, and other blocks follow it."""
    first = next((child for child in block.iter(include_text=True) if not is_space(child)), None)
    if first is None or first.mem_id != link.mem_id:
        return False
    after = link.next
    while after is not None and is_space(after):
        after = after.next
    return after is not None and after.tag in BLOCKS


def is_space(node: LexborNode) -> bool:
    return node.is_text_node and not node.text().strip()


def find_teasers(headlines: list[LexborNode]) -> list[LexborNode]:
    """For each page that headlines lead to, the largest element that leads to no other."""
    only: dict[int, str | None] = {}
    for link in headlines:
        href = link.attributes.get("href") or ""
        for above in islice(ancestors(link), thresholds.HIGHEST):
            if only.setdefault(above.mem_id, href) != href:
                only[above.mem_id] = None
    teasers = {(teaser := largest_around(link, only)).mem_id: teaser for link in headlines}
    return list(teasers.values())


def largest_around(link: LexborNode, only: dict[int, str | None]) -> LexborNode:
    largest = link
    for above in islice(ancestors(link), thresholds.HIGHEST):
        if above.tag in _PAGE or only.get(above.mem_id) is None:
            break
        largest = above
    return largest


def is_stream(stream: Stream) -> bool:
    """Short boxes with summaries, which are most of what they stand in, and are not for sale."""
    texts = [text_of(teaser) for teaser in stream.teasers]
    if max(map(len, texts)) > thresholds.LONGEST_TEASER or sum(
        map(len, texts)
    ) < thresholds.LEAST_SHARE_OF_TEASERS * len(text_of(stream.parent)):
        return False
    if any(teaser.css_first(_NO_TEASER) is not None for teaser in stream.teasers):
        return False
    if sum(PRICE.search(text) is not None for text in texts) > 0.5 * len(texts):
        return False
    return sum(map(unlinked, stream.teasers)) >= thresholds.SHORTEST_SUMMARY * len(texts)


def unlinked(teaser: LexborNode) -> int:
    """A link around all of a teaser is its headline as far as its heading goes."""
    heading = teaser.css_first(HEADING)
    headline = max((len(text_of(link)) for link in teaser.css("a[href]")), default=0)
    return len(text_of(teaser)) - (len(text_of(heading)) if heading is not None else headline)


def is_of_others(stream: Stream, body: LexborNode, page: PageFacts) -> bool:
    """Whether a stream shows what the site has besides, and not what the article is about."""
    if is_of_articles(stream):
        return True
    if stands_in_flow(stream.teasers[0]):
        return False
    if stands_in_own_article(stream.parent):
        return is_gallery(stream) and leaves_article(body, stream.boxes(), thresholds.LEAST_BESIDE_GALLERY)
    return page.says_article or stream.are_most(lambda teaser: teaser.css_first("img, picture") is not None)


def is_of_articles(stream: Stream) -> bool:
    """By the words before the first teaser, by the tag of each, or by the date of most."""
    before = text_of(stream.parent).partition(text_of(stream.teasers[0]))[0]
    if len(before) <= thresholds.LONGEST_HEADING and ELSEWHERE.match(before) is not None:
        return True
    return all(teaser.tag == "article" for teaser in stream.teasers) or stream.are_most(has_date)


def has_date(teaser: LexborNode) -> bool:
    if teaser.css_first("time") is not None or WHOLE_DATE.search(text_of(teaser)) is not None:
        return True
    parts = islice(teaser.css("span, div, p, b, em, small, li"), thresholds.MOST_NEAR)
    return any(text and is_date(text) for text in (short_text(node, thresholds.LONGEST_DATE) for node in parts))


def is_gallery(stream: Stream) -> bool:
    """Many teasers, with images that lead where their headlines do."""
    return len(stream.teasers) >= thresholds.FEWEST_IN_GALLERY and stream.are_most(
        lambda t: t.css_first("a img") is not None
    )


def stands_in_own_article(node: LexborNode) -> bool:
    around = (node, *ancestors(node))
    return any(near.tag == "article" or "articleBody" in (near.attributes.get("itemprop") or "") for near in around)
