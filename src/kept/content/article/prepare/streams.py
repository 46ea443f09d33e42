"""Removes streams of teasers: rows of boxes, each with the headline of another page of the site and a summary.

Where the article is short, Readability takes the stream for it: there is more prose in it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.page_types import may_be_article, says_article, says_collection
from kept.content.article.prepare.boxes import (
    find_prose_outside,
    leaves_article,
    remove_all,
    stands_in_flow,
    stands_in_own_article,
)
from kept.content.article.prune.ends import is_date
from kept.content.article.prune.teasers import leads_within
from kept.content.article.prune.tree import BLOCKS, HEADING, HEADINGS, ancestors, short_text, text_of, weigh_text
from kept.content.article.prune.vocabulary import ELSEWHERE, PRICE
from kept.content.article.prune.wording import LONGEST_HEADING
from kept.content.article.walks import shallow
from kept.content.markup import tags

SHORTEST_HEADLINE: Final = 20
LONGEST_HEADLINE: Final = 500
MOST_LINKS: Final = 2_000
HIGHEST: Final = 10
HIGHEST_BLOCK: Final = 4

MOST_STREAMS: Final = 50
SHORTEST_STREAM: Final = 3
LONGEST_TEASER: Final = 500
# Beside the headlines, on average: less is a list of links, which Readability and prune know how to judge.
SHORTEST_SUMMARY: Final = 15
# Beside a headline in its own line: a date, a place.
LONGEST_LABEL: Final = 60
# What a stream has beside its teasers: a heading, a link to more.
LONGEST_REST: Final = 100
LEAST_SHARE: Final = 0.7
LEAST_WITHOUT_TYPE: Final = 250
LONGEST_DATE: Final = 40
MOST_PARTS: Final = 20
# Paragraphs before, between and after lists that are what a page is about.
MOST_INTRODUCTION: Final = 3
# In the page's own article a round-up looks alike, but is shorter, or has little text beside.
SHORTEST_GALLERY: Final = 6
LEAST_BESIDE_GALLERY: Final = 400
_NO_TEASER: Final = "blockquote, pre, table, iframe, math"
_PAGE: Final = tags("html body main")
# With its day: a year alone may be that of a film.
WHOLE_DATE: Final = re.compile(
    r"(?<!\d)\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|(?:19|20)\d\d年\d{1,2}月"
    r"|(?<!\d)\d{1,2}\.? [^\W\d]{3,10}\.?,? (?:19|20)\d\d|[^\W\d]{3,10}\.? \d{1,2}, (?:19|20)\d\d"
)


@dataclass(frozen=True, slots=True)
class Stream:
    parent: LexborNode
    teasers: list[LexborNode] = field(default_factory=list)


def remove_streams(page: LexborHTMLParser, url: str) -> None:
    """Within the page's own `article`, or between its paragraphs, such a row may be what the article is about."""
    assert page.body is not None
    streams = list(filter(is_stream, find_streams(page.body, url)[:MOST_STREAMS]))
    if not streams or says_collection(page):
        return
    is_article = says_article(page)
    others = [stream for stream in streams if is_of_others(stream, page.body, is_article)]
    boxes = [box for stream in others for box in whole(stream)]
    if not boxes or not leaves_article(page.body, boxes):
        return
    if is_article or not (is_front_page(page.body, url, boxes) or is_list(page, others, boxes)):
        remove_all(boxes)


def is_front_page(body: LexborNode, url: str, boxes: list[LexborNode]) -> bool:
    """Of a site or one of its parts: where a page does not say that it is an article, it must have more of one."""
    if urlsplit(url).path in {"", "/"}:
        return True
    return not leaves_article(body, boxes, least=LEAST_WITHOUT_TYPE)


def is_list(page: LexborHTMLParser, streams: list[Stream], boxes: list[LexborNode]) -> bool:
    """Of what a firm offers or a town has: longer than the words around it, and not of articles."""
    assert page.body is not None
    if may_be_article(page) or any(map(is_of_articles, streams)):
        return False
    left = find_prose_outside(page.body, boxes)
    return len(left) <= MOST_INTRODUCTION and sum(map(len, left)) < sum(len(text_of(box)) for box in boxes)


def find_streams(body: LexborNode, url: str) -> list[Stream]:
    headlines = find_headlines(body, url)
    found: dict[int, Stream] = {}
    if len(headlines) < SHORTEST_STREAM:
        return []
    for teaser in find_teasers(headlines):
        add_to(found, teaser.parent, [teaser])
    rows: dict[int, Stream] = {}
    for stream in found.values():
        if len(stream.teasers) < SHORTEST_STREAM:
            add_to(rows, stream.parent.parent, stream.teasers)
    streams = [stream for stream in (*found.values(), *rows.values()) if len(stream.teasers) >= SHORTEST_STREAM]
    parents = {parent.mem_id for parent in shallow(stream.parent for stream in streams)}
    return [stream for stream in streams if stream.parent.mem_id in parents]


def add_to(streams: dict[int, Stream], parent: LexborNode | None, teasers: list[LexborNode]) -> None:
    if parent is not None:
        streams.setdefault(parent.mem_id, Stream(parent)).teasers.extend(teasers)


def find_headlines(body: LexborNode, url: str) -> list[LexborNode]:
    return [link for link in body.css("a[href]")[:MOST_LINKS] if is_headline(link, url)]


def is_headline(link: LexborNode, url: str) -> bool:
    text = text_of(link)
    if len(text) > LONGEST_HEADLINE or weigh_text(text) < SHORTEST_HEADLINE:
        return False
    return stands_alone(link, text) and not is_date(text) and leads_elsewhere(link.attributes.get("href") or "", url)


def leads_elsewhere(href: str, url: str) -> bool:
    """To another page of the site: what readers wrote has a date, which leads to a place on this page."""
    page = urlsplit(url)
    if not leads_within(href, page.hostname or ""):
        return False
    return not ("#" in href and urlsplit(href).path.rstrip("/") in {"", page.path.rstrip("/")})


def stands_alone(link: LexborNode, text: str) -> bool:
    """In a line of its own, but for a date or a place: a link within a sentence is no headline."""
    block = next((above for above in islice(ancestors(link), HIGHEST_BLOCK) if above.tag in BLOCKS), None)
    if block is None:
        return False
    if block.tag in HEADINGS or any(child.tag in BLOCKS for child in link.iter()) or is_line(link, block):
        return True
    beside = 0.1 * len(text) if block.tag == "p" else max(0.1 * len(text), LONGEST_LABEL)
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
        mark_above(link, only)
    teasers = {(teaser := largest_around(link, only)).mem_id: teaser for link in headlines}
    return list(teasers.values())


def mark_above(link: LexborNode, only: dict[int, str | None]) -> None:
    href = link.attributes.get("href") or ""
    for above in islice(ancestors(link), HIGHEST):
        if only.setdefault(above.mem_id, href) != href:
            only[above.mem_id] = None


def largest_around(link: LexborNode, only: dict[int, str | None]) -> LexborNode:
    largest = link
    for above in islice(ancestors(link), HIGHEST):
        if above.tag in _PAGE or only.get(above.mem_id) is None:
            break
        largest = above
    return largest


def is_stream(stream: Stream) -> bool:
    lengths = [len(text_of(teaser)) for teaser in stream.teasers]
    if max(lengths) > LONGEST_TEASER or any(teaser.css_first(_NO_TEASER) is not None for teaser in stream.teasers):
        return False
    if sum(lengths) < LEAST_SHARE * len(text_of(stream.parent)):
        return False
    return has_summaries(stream)


def is_of_others(stream: Stream, body: LexborNode, is_article: bool) -> bool:
    """Whether a stream shows what the site has besides, and not what the article is about."""
    if is_of_articles(stream):
        return True
    if stands_in_flow(stream.teasers[0]):
        return False
    if stands_in_own_article(stream.parent):
        return is_gallery(stream) and leaves_article(body, whole(stream), least=LEAST_BESIDE_GALLERY)
    return is_article or has_images(stream)


def is_of_articles(stream: Stream) -> bool:
    return is_named(stream) or are_articles(stream) or is_dated(stream)


def has_summaries(stream: Stream) -> bool:
    texts = [text_of(teaser) for teaser in stream.teasers]
    if sum(PRICE.search(text) is not None for text in texts) > 0.5 * len(texts):
        return False
    beside = sum(map(unlinked, stream.teasers))
    return beside >= SHORTEST_SUMMARY * len(texts)


def unlinked(teaser: LexborNode) -> int:
    """A link around all of a teaser is its headline as far as its heading goes."""
    heading = teaser.css_first(HEADING)
    headline = max((len(text_of(link)) for link in teaser.css("a[href]")), default=0)
    return len(text_of(teaser)) - (len(text_of(heading)) if heading is not None else headline)


def is_named(stream: Stream) -> bool:
    """Whether the words before the first teaser say that other stories follow."""
    before = text_of(stream.parent).partition(text_of(stream.teasers[0]))[0]
    return len(before) <= LONGEST_HEADING and ELSEWHERE.match(before) is not None


def are_articles(stream: Stream) -> bool:
    return all(teaser.tag == "article" for teaser in stream.teasers)


def is_dated(stream: Stream) -> bool:
    """As what a site shows of its other articles is, and what an article tells about seldom."""
    return are_most(stream, has_date)


def has_date(teaser: LexborNode) -> bool:
    if teaser.css_first("time") is not None or WHOLE_DATE.search(text_of(teaser)) is not None:
        return True
    texts = (
        short_text(node, LONGEST_DATE) for node in islice(teaser.css("span, div, p, b, em, small, li"), MOST_PARTS)
    )
    return any(text and is_date(text) for text in texts)


def has_images(stream: Stream) -> bool:
    return are_most(stream, lambda teaser: teaser.css_first("img, picture") is not None)


def is_gallery(stream: Stream) -> bool:
    """Many teasers, with images that lead where their headlines do."""
    return len(stream.teasers) >= SHORTEST_GALLERY and are_most(stream, lambda t: t.css_first("a img") is not None)


def are_most(stream: Stream, has: Callable[[LexborNode], bool]) -> bool:
    return sum(map(has, stream.teasers)) > 0.5 * len(stream.teasers)


def whole(stream: Stream) -> list[LexborNode]:
    """The teasers, with what stands around nothing else."""
    rest = len(text_of(stream.parent)) - sum(len(text_of(teaser)) for teaser in stream.teasers)
    return [stream.parent] if rest <= LONGEST_REST and stream.parent.tag not in _PAGE else stream.teasers
