"""A second opinion on what a page's article is, asked where Readability's answer is doubtful.

Readability's answer is compared with the densest part of the page (`prose`): where both have the same text, it stands.
Elsewhere there are three candidates, and the one that agrees best with the others and with what the page says of
itself is taken.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import is_prose, is_teaser
from kept.content.article.rules.prose import ProseTree, weigh_page
from kept.content.article.rules.tree import (
    DENSE,
    ancestors,
    leaf_nodes,
    outermost,
    short_text,
    text_of,
    weigh_text,
)
from kept.content.markup import tags
from kept.content.page.json_ld import find_article_body

# The page's own names for its article, best first.
OWN_ARTICLE: Final = ("[itemprop~=articleBody]", "article", "main, [role=main]")

_PARAGRAPHS: Final = tags("p li dd")
UNSEEN: Final = 'script, noscript, [hidden], [style*="display:none" i], [style*="display: none" i]'
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


@dataclass(frozen=True, slots=True)
class Candidate:
    root: LexborNode
    text: str


def gather_opinions(html: str, page: LexborHTMLParser) -> Opinions | None:
    """None if there is no prose, or too much to look at."""
    if page.body is None or html.count("<") > thresholds.MOST_TAGS:
        return None
    prose = weigh_page(page.body)
    if prose.total < thresholds.LEAST_PROSE_OF_ARTICLE:
        return None
    return Opinions(html, prose.find_densest(), find_own(page.body, prose))


def find_own(body: LexborNode, prose: ProseTree) -> LexborNode | None:
    for selector in OWN_ARTICLE:
        found = prose.find_heaviest(outermost(body.css(selector)[: thresholds.MOST_BOXES]))
        if found is not None and found[1] >= thresholds.LEAST_PROSE_OF_ARTICLE:
            return found[0]
    return None


def is_doubtful(root: LexborNode, opinions: Opinions) -> bool:
    """Whether Readability's answer and the densest part of the page differ in much of their prose."""
    ours, theirs = list_prose(root), list_prose(opinions.densest)
    return (
        share_found(theirs, root) < thresholds.LEAST_SHARED
        or share_found(ours, opinions.densest) < thresholds.LEAST_SHARED
    )


def list_prose(root: LexborNode) -> list[str]:
    return [text_of(node) for node in leaf_nodes(root)[: thresholds.MOST_BOXES] if is_prose(node)]


def share_found(blocks: list[str], root: LexborNode) -> float:
    """By weight, and by how each begins: Readability moves spaces, and ends paragraphs elsewhere."""
    whole = without_spaces(root.text(separator=" ")[: thresholds.MOST_TEXT])
    found = sum(len(block) for block in blocks if without_spaces(block)[: thresholds.BLOCK_START] in whole)
    return found / max(1, sum(map(len, blocks)))


def without_spaces(text: str) -> str:
    return "".join(text.split())


def choose(candidates: list[Candidate], html: str, description: str | None) -> Candidate:
    """The candidate with the best support: the first, Readability's, unless another has clearly more."""
    body = find_article_body(html) or ""
    support = Support(
        [shingles(candidate.text) for candidate in candidates],
        shingles(body) if len(body) >= thresholds.SHORTEST_BODY else frozenset(),
        shingles(description or "") if len(description or "") >= thresholds.SHORTEST_DESCRIPTION else frozenset(),
    )
    needed = support.score(0) + thresholds.LEAST_MARGIN if is_answer(candidates[0]) else 0.0
    others = [at for at in range(1, len(candidates)) if support.differs(at)]
    best = max(others, key=support.score, default=0)
    if best and support.score(best) >= needed:
        return candidates[best]
    return next((other for other in reversed(candidates[1:]) if completes(other, candidates[0])), candidates[0])


def completes(other: Candidate, first: Candidate) -> bool:
    """Whether another candidate has all of the first, and paragraphs beside that are no summaries of other pages."""
    prose = list_prose(first.root)
    if not prose or share_found(prose, other.root) < thresholds.LEAST_COMPLETED:
        return False
    whole = without_spaces(first.root.text(separator=" ")[: thresholds.MOST_TEXT])
    more = [text for node in leaf_nodes(other.root)[: thresholds.MOST_BOXES] if (text := find_more(node, whole))]
    least = max(thresholds.LEAST_PROSE_OF_ARTICLE, thresholds.LEAST_MORE * sum(map(weigh_text, prose)))
    return len(more) >= thresholds.FEWEST_PARAGRAPHS and sum(map(weigh_text, more)) >= least


def find_more(node: LexborNode, whole: str) -> str:
    if node.tag not in _PARAGRAPHS or not is_prose(node):
        return ""
    text = text_of(node)
    if without_spaces(text)[: thresholds.BLOCK_START] in whole:
        return ""
    return "" if stands_in_teaser(node) else text


def stands_in_teaser(node: LexborNode) -> bool:
    box = node
    for above in islice(ancestors(node), thresholds.HIGHEST):
        if short_text(above, thresholds.LONGEST_TEASER) is None:
            break
        box = above
    return is_teaser(box)


def is_answer(candidate: Candidate) -> bool:
    return weigh_text(candidate.text) >= thresholds.SHORTEST_ANSWER or candidate.root.css_first("img") is not None


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
        return agreement(self.texts[0], self.texts[index]) < thresholds.MOST_ALIKE

    def score(self, index: int) -> float:
        own = self.texts[index]
        others = sum(agreement(own, other) for at, other in enumerate(self.texts) if at != index)
        said = len(own & self.description) / max(1, len(self.description))
        return others + thresholds.WEIGHT_OF_BODY * agreement(own, self.body) + thresholds.WEIGHT_OF_DESCRIPTION * said


def agreement(one: frozenset[int], other: frozenset[int]) -> float:
    """F1 of the runs of words that both have."""
    return 2 * len(one & other) / max(1, len(one) + len(other))


def shingles(text: str) -> frozenset[int]:
    tokens = [found[0] for found in islice(_TOKEN.finditer(text), thresholds.MOST_TOKENS)]
    return frozenset(hash(tuple(tokens[at : at + _SHINGLE])) for at in range(len(tokens) - _SHINGLE + 1))
