"""The first paragraph of a page that says something, for pages that do not describe themselves."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.markup import tags
from kept.content.page.text_cleaning import clean_line, inline_text

# Sentences begin at about this length; captions, dates and share lines end before it. Then the second choice.
_MEANINGFUL: Final = 80
_SHORT: Final = 40
# Han, kana, Bopomofo and Hangul: a sentence of 26 of them takes a hundred letters in English.
_DENSE: Final = re.compile(
    "[\u3040-\u30ff\u3105-\u312f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_LETTERS_IN_A_DENSE_ONE: Final = 4
# A paragraph of which most is links is a menu.
_MAX_LINK_SHARE: Final = 0.5
_MAX_PARAGRAPHS: Final = 200
_MAX_LINKS: Final = 200
# The most text of all paragraphs (20,000 words), what a link costs of it, and the most of one for boilerplate.
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
    """Find the first paragraph that reads like an article's, preferably in the page's main part.

    This removes scripts and drawings from `page`, which is no longer whole afterwards.
    """
    # Their text is not for reading, but counts as text of what they stand in.
    page.strip_tags(["script", "style", "noscript", "template", "svg", "textarea"], recursive=True)
    second_choice = None
    for text in (text for scope in _scopes(page) for text in _paragraphs(scope)):
        if _weigh(text) >= _MEANINGFUL:
            return text
        second_choice = second_choice or text
    return second_choice


def _reads_like_prose(text: str) -> bool:
    """Return whether a text is prose: tables of contents are mostly dots, and listings figures."""
    letters = sum(map(_is_of_a_word, text[:400]))
    return letters > 0.6 * min(len(text), 400) and _BOILERPLATE.search(text, 0, _MAX_LOOKED_AT) is None


def _is_of_a_word(character: str) -> bool:
    """Return whether a character is part of a word; a third of Hindi are vowel signs, which Python calls no letters."""
    return character.isalpha() or unicodedata.category(character).startswith("M")


def _weigh(text: str) -> int:
    """Return the length of a text in Latin letters, of which a dense script's character counts as several."""
    start = text[:_MEANINGFUL]
    return len(start) + (_LETTERS_IN_A_DENSE_ONE - 1) * len(_DENSE.findall(start))


def _scopes(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """Yield the parts of the page to look in, best first."""
    for selector in ("article, main, [role=main], [itemprop=articleBody]", "body"):
        node = page.css_first(selector)
        if node is not None:
            yield node


def _paragraphs(scope: LexborNode) -> Iterator[str]:
    for selector in ("p", "div, td, blockquote, dd, li, pre, section"):
        # Only the text of their own counts for other blocks: a <div> around everything is no paragraph.
        yield from _prose_of(scope.css(selector)[:_MAX_PARAGRAPHS], deep=selector == "p")


def _prose_of(nodes: list[LexborNode], *, deep: bool) -> Iterator[str]:
    """Yield prose. All text that is read counts towards a limit, because nested blocks repeat the text within them."""
    left = _MAX_CHARACTERS
    for node in nodes:
        whole = inline_text(node) if deep else node.text(deep=False, separator=" ")
        text = clean_line(whole)
        if _weigh(text) >= _SHORT and _reads_like_prose(text) and not _is_around_the_article(node):
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
