"""The first paragraph of a page that says something, for pages that do not describe themselves."""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.tag_names import tags
from kept.content.page.text_cleaning import clean_line

# Sentences begin at about this length; captions, dates and share lines end before it. Then the second choice.
_MEANINGFUL: Final = 80
_SHORT: Final = 40
# A paragraph of which most is links is a menu.
_MAX_LINK_SHARE: Final = 0.5
_MAX_PARAGRAPHS: Final = 200
_MAX_LINKS: Final = 200
# Of all paragraphs together, a link counted as so many: an article of 20,000 words. And of one, for boilerplate.
_MAX_CHARACTERS: Final = 120_000
_LINK_COSTS: Final = 100
_MAX_LOOKED_AT: Final = 10_000
_MAX_ANCESTORS: Final = 40
_AROUND_THE_ARTICLE: Final = tags("nav header footer aside form noscript button dialog template figcaption")
_BOILERPLATE: Final = re.compile(
    r"\bcookies?\b|\bjavascript\b|©|all rights reserved|\bad ?blocker|\bsign (?:in|up)\b|\blog ?in\b"
    r"|\bsubscribe\b|\bnewsletter\b|\bterms of (?:use|service)\b|\bprivacy policy\b|\byour browser\b",
    re.IGNORECASE,
)


def find_meaningful_paragraph(page: LexborHTMLParser) -> str | None:
    """The first paragraph that reads like an article's, preferably in the page's main part.

    Takes scripts and drawings out of `page`, which is no longer whole afterwards.
    """
    # Their text is not for reading, but counts as text of what they stand in.
    page.strip_tags(["script", "style", "noscript", "template", "svg", "textarea"], recursive=True)
    second_choice = None
    for text in (text for scope in _scopes(page) for text in _paragraphs(scope)):
        if len(text) >= _MEANINGFUL:
            return text
        second_choice = second_choice or text
    return second_choice


def _reads_like_prose(text: str) -> bool:
    """Tables of contents are dots, listings are figures."""
    letters = sum(map(str.isalpha, text[:400]))
    return letters > 0.6 * min(len(text), 400) and _BOILERPLATE.search(text, 0, _MAX_LOOKED_AT) is None


def _scopes(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """Where to look, best first; pages without paragraphs have their text in other blocks."""
    for selector in ("article, main, [role=main], [itemprop=articleBody]", "body"):
        found = page.css_first(selector)
        if found is not None:
            yield found


def _paragraphs(scope: LexborNode) -> Iterator[str]:
    for selector in ("p", "div, td, blockquote, dd, li, pre, section"):
        # Of other blocks only the text that is their own counts: a <div> around everything is no paragraph.
        yield from _prose_of(scope.css(selector)[:_MAX_PARAGRAPHS], deep=selector == "p")


def _prose_of(nodes: list[LexborNode], *, deep: bool) -> Iterator[str]:
    """Blocks may stand in each other, each with the text of all within it: what is looked at is counted."""
    left = _MAX_CHARACTERS
    for node in nodes:
        whole = node.text(deep=deep, separator=" ")
        text = clean_line(whole)
        if len(text) >= _SHORT and _reads_like_prose(text) and not _is_around_the_article(node):
            links = node.css("a")
            left -= _LINK_COSTS * len(links)
            if len(links) <= _MAX_LINKS and not _is_menu(links, text):
                yield text
        left -= len(whole)
        if left < 0:
            return


def _is_menu(links: list[LexborNode], text: str) -> bool:
    linked = sum(len(clean_line(link.text())) for link in links)
    return linked > len(text) * _MAX_LINK_SHARE


def _is_around_the_article(node: LexborNode) -> bool:
    parent = node.parent
    for _ in range(_MAX_ANCESTORS):
        if parent is None or parent.tag == "body":
            return False
        if parent.tag in _AROUND_THE_ARTICLE:
            return True
        parent = parent.parent
    return False
