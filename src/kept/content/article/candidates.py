"""A second opinion on what a page's article is, asked where Readability's answer is doubtful.

Readability's answer is compared with the densest part of the page (`prose`): where both have the same text, it stands.
Elsewhere there are three candidates, and the one that agrees best with the others and with what the page says of
itself is taken: decision 15.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.prose import SHORTEST_PROSE, ProseTree, weigh_prose
from kept.content.article.prune.tree import (
    DENSE,
    ancestors,
    leaf_nodes,
    link_share,
    outermost,
    short_text,
    text_of,
    weigh_text,
)
from kept.content.article.walks import holders
from kept.content.markup import tags
from kept.content.page.json_ld import find_article_body

# Measuring takes some 3 µs an element; Readability refuses a page with more.
MOST_TAGS: Final = 200_000
# What an article found by prose alone must have at least.
LEAST_PROSE: Final = 250
# The page's own names for its article, best first.
OWN_ARTICLE: Final = ("[itemprop~=articleBody]", "article", "main, [role=main]")

# Readability's answer is doubtful if it has less of the densest part's prose, or that has less of its own.
LEAST_SHARED: Final = 0.75
# Candidates that agree more differ in a lead or in what prune missed, and Readability knows better then.
MOST_ALIKE: Final = 0.7
# How much better than Readability's another candidate must be supported.
MARGIN: Final = 0.15
# Less is no answer, unless there is an image.
SHORTEST_ANSWER: Final = 100
# Where another candidate has so much of Readability's answer, and so much more, it takes that answer's place.
LEAST_COMPLETED: Final = 0.9
LEAST_MORE: Final = 0.25
LEAST_PARAGRAPHS: Final = 3
_PARAGRAPHS: Final = tags("p li dd")
LARGEST_LINKED_SHARE: Final = 0.3
LONGEST_TEASER: Final = 500
SHORTEST_HEADLINE: Final = 20
MOST_LINKS: Final = 20
HIGHEST: Final = 10
WEIGHT_OF_BODY: Final = 2.0
WEIGHT_OF_DESCRIPTION: Final = 0.5
SHORTEST_BODY: Final = 300
SHORTEST_DESCRIPTION: Final = 40

UNSEEN: Final = 'script, noscript, [hidden], [style*="display:none" i], [style*="display: none" i]'

# Whether one stands in another is asked of each, and costs as many steps as it is deep.
MOST_NAMED: Final = 200
# Blocks that are compared, how much of each (enough to know it by), and of the text they are looked for in.
MOST_BLOCKS: Final = 400
BLOCK_START: Final = 60
MOST_TEXT: Final = 1_000_000
MOST_TOKENS: Final = 20_000
_TOKEN: Final = re.compile(rf"[{DENSE}]|[^\W{DENSE}]+")
_SHINGLE: Final = 4


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the page suggests without Readability."""

    html: str = field(repr=False)
    """The page, for its structured data."""
    densest: LexborNode
    own: LexborNode | None
    """What the page calls its article, if that holds prose."""
    may_be_article: bool = True
    main: LexborNode | None = None
    """The main part of a page that is no article."""


@dataclass(frozen=True, slots=True)
class Candidate:
    root: LexborNode
    text: str


def gather_opinions(html: str, page: LexborHTMLParser) -> Opinions | None:
    """None if there is no prose, or too much to look at."""
    if page.body is None or html.count("<") > MOST_TAGS:
        return None
    prose = weigh_prose(page.body)
    if prose.total < LEAST_PROSE:
        return None
    return Opinions(html, prose.find_densest(), find_own(page.body, prose))


def find_own(body: LexborNode, prose: ProseTree) -> LexborNode | None:
    for selector in OWN_ARTICLE:
        found = prose.find_heaviest(outermost(body.css(selector)[:MOST_NAMED]))
        if found is not None and found[1] >= LEAST_PROSE:
            return found[0]
    return None


def find_part_with_title(prose: LexborNode) -> LexborNode | None:
    """The smallest part of the page that holds the prose and a title."""
    around = [prose, *ancestors(prose)]
    with_title = holders(around[-1].css("h1"))
    parts = (node for node in around if node.is_element_node and node.tag not in {"html", "body"})
    return next((node for node in parts if node.mem_id in with_title), None)


def is_doubtful(root: LexborNode, opinions: Opinions) -> bool:
    """Whether Readability's answer and the densest part of the page differ in much of their prose."""
    ours, theirs = list_prose(root), list_prose(opinions.densest)
    return share_found(theirs, root) < LEAST_SHARED or share_found(ours, opinions.densest) < LEAST_SHARED


def list_prose(root: LexborNode) -> list[str]:
    texts = (text_of(node) for node in leaf_nodes(root)[:MOST_BLOCKS])
    return [text for text in texts if weigh_text(text) >= SHORTEST_PROSE]


def share_found(blocks: list[str], root: LexborNode) -> float:
    """By weight, and by how each begins: Readability moves spaces, and ends paragraphs elsewhere."""
    whole = without_spaces(root.text(separator=" ")[:MOST_TEXT])
    found = sum(len(block) for block in blocks if without_spaces(block)[:BLOCK_START] in whole)
    return found / max(1, sum(map(len, blocks)))


def without_spaces(text: str) -> str:
    return "".join(text.split())


def choose(candidates: list[Candidate], html: str, description: str | None) -> Candidate:
    """The candidate with the best support: the first, Readability's, unless another has clearly more."""
    body = find_article_body(html) or ""
    support = Support(
        [shingles(candidate.text) for candidate in candidates],
        shingles(body) if len(body) >= SHORTEST_BODY else frozenset(),
        shingles(description or "") if len(description or "") >= SHORTEST_DESCRIPTION else frozenset(),
    )
    needed = support.score(0) + MARGIN if is_answer(candidates[0]) else 0.0
    others = [at for at in range(1, len(candidates)) if support.differs(at)]
    best = max(others, key=support.score, default=0)
    if best and support.score(best) >= needed:
        return candidates[best]
    return next((other for other in reversed(candidates[1:]) if completes(other, candidates[0])), candidates[0])


def completes(other: Candidate, first: Candidate) -> bool:
    """Whether another candidate has all of the first, and paragraphs beside that are no summaries of other pages."""
    prose = list_prose(first.root)
    if not prose or share_found(prose, other.root) < LEAST_COMPLETED:
        return False
    whole = without_spaces(first.root.text(separator=" ")[:MOST_TEXT])
    more = [text for node in leaf_nodes(other.root)[:MOST_BLOCKS] if (text := find_more(node, whole))]
    least = max(LEAST_PROSE, LEAST_MORE * sum(map(weigh_text, prose)))
    return len(more) >= LEAST_PARAGRAPHS and sum(map(weigh_text, more)) >= least


def find_more(node: LexborNode, whole: str) -> str:
    if node.tag not in _PARAGRAPHS:
        return ""
    text = text_of(node)
    if weigh_text(text) < SHORTEST_PROSE or without_spaces(text)[:BLOCK_START] in whole:
        return ""
    return "" if link_share(node) > LARGEST_LINKED_SHARE or stands_in_teaser(node) else text


def stands_in_teaser(node: LexborNode) -> bool:
    """In a small box with the headline of another page."""
    box = node
    for above in islice(ancestors(node), HIGHEST):
        if short_text(above, LONGEST_TEASER) is None:
            break
        box = above
    return any(len(text_of(link)) >= SHORTEST_HEADLINE for link in box.css("a[href]")[:MOST_LINKS])


def is_answer(candidate: Candidate) -> bool:
    return weigh_text(candidate.text) >= SHORTEST_ANSWER or candidate.root.css_first("img") is not None


def remove_unseen(root: LexborNode) -> None:
    """What nobody sees: Readability removes it from its own answers."""
    for node in reversed(root.css(UNSEEN)):
        node.decompose()


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a candidate: the others, the page's structured data and its description."""

    texts: list[frozenset[int]]
    body: frozenset[int]
    description: frozenset[int]

    def differs(self, index: int) -> bool:
        return agreement(self.texts[0], self.texts[index]) < MOST_ALIKE

    def score(self, index: int) -> float:
        own = self.texts[index]
        others = sum(agreement(own, other) for at, other in enumerate(self.texts) if at != index)
        said = len(own & self.description) / max(1, len(self.description))
        return others + WEIGHT_OF_BODY * agreement(own, self.body) + WEIGHT_OF_DESCRIPTION * said


def agreement(one: frozenset[int], other: frozenset[int]) -> float:
    """F1 of the runs of words that both have."""
    return 2 * len(one & other) / max(1, len(one) + len(other))


def shingles(text: str) -> frozenset[int]:
    tokens = [found[0] for found in islice(_TOKEN.finditer(text), MOST_TOKENS)]
    return frozenset(hash(tuple(tokens[at : at + _SHINGLE])) for at in range(len(tokens) - _SHINGLE + 1))
