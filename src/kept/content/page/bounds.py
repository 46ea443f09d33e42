"""How much markup a parser may be given. Anything here that parses asks here first.

The HTML standard's tree construction is quadratic in three ways that a small page can exploit, and every
faithful parser has them. Measured with lexbor on one core: 50,000 nested `<div>` take 2.8 s; 1,500 distinct
unclosed `<b>` before 1,500 `<p>` (21 KB of text) take 2 s and 800 MB, since every paragraph opens them all
again; 80,000 attributes on one tag take 11 s. All checks here are linear and look at the text alone, before
any parser sees it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kept.content.page.nesting import find_crowded_tag, is_crowded_tag, measure_nesting

# As deep as Blink builds a tree; 512 nested elements cost nh3 1 ms.
MAX_DEPTH: Final = 512
# Below this many tags, even the worst nesting costs lexbor 30 ms.
_FREE_TAGS: Final = 5_000
# How many elements reopened formatting may add at worst: 300,000 would be 100 MB. Of the 153 pages of the
# corpus four lie above it by the count of their tags alone, and reopen nothing for real.
_MAX_REOPENED: Final = 300_000
# Without attributes the standard reopens at most three of each of thirteen kinds.
_PLAIN_FORMATTING: Final = 39
# As many as Readability's own output ever needs, several times over.
MAX_ATTRIBUTES: Final = 512
# 512 attributes need more text than this, which then holds no other tag.
_STRIDE: Final = 1_024

# Spelt out in both cases: as fast again as IGNORECASE, and this runs over every page.
_FORMATTING: Final = re.compile(
    r"<(?:[bBiIsSuU]|[bB][iI][gG]|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[nN][oO][bB][rR]"
    r"|[sS][mM][aA][lL]{2}|[sS][tT][rR](?:[iI][kK][eE]|[oO][nN][gG])|[tT]{2})[\s/]"
)


@dataclass(frozen=True, slots=True)
class TooComplex:
    """A document no parser will be given, and why, in words."""

    reason: str


def bounded_prefix(html: str) -> str:
    """As much of the page's start as is cheap to parse whatever it holds; nearly always all of it.

    For readers of metadata, which stands at a page's start anyway.
    """
    attribute_bomb = _find_attribute_bomb(html)
    if attribute_bomb is not None:
        html = html[:attribute_bomb]
    tags = html.count("<")
    if tags > _FREE_TAGS:
        html, tags = html[: _offset_of_tag(html, _FREE_TAGS)], _FREE_TAGS
    return html if _reopened(html, tags) <= _MAX_REOPENED else _prefix_with_few_reopened(html)


def find_excess(html: str) -> TooComplex | None:
    """Why the whole document may not be parsed, or None if it may."""
    if _find_attribute_bomb(html) is not None:
        return TooComplex(f"A tag has more than {MAX_ATTRIBUTES} attributes.")
    tags = html.count("<")
    if tags <= _FREE_TAGS and _reopened(html, tags) <= _MAX_REOPENED:
        return None
    nesting = measure_nesting(html, max_depth=MAX_DEPTH, max_reopened=_MAX_REOPENED)
    if nesting.depth > MAX_DEPTH:
        return TooComplex(f"Tags are nested more than {MAX_DEPTH} deep.")
    if nesting.reopened > _MAX_REOPENED:
        return TooComplex("Unclosed formatting would multiply without end.")
    return None


def _reopened(html: str, tags: int) -> int:
    """At most this many elements can be reopened: each tag may reopen all formatting there is."""
    if tags * (tags + _PLAIN_FORMATTING) <= _MAX_REOPENED:
        return 0
    return tags * (len(_FORMATTING.findall(html)) + _PLAIN_FORMATTING)


def _prefix_with_few_reopened(html: str) -> str:
    low, high = 0, html.count("<")
    while high - low > 1:
        middle = (low + high) // 2
        few = _reopened(html[: _offset_of_tag(html, middle)], middle) <= _MAX_REOPENED
        low, high = (middle, high) if few else (low, middle)
    return html[: _offset_of_tag(html, low)]


def _offset_of_tag(html: str, number: int) -> int:
    """Where the tag after the first `number` tags begins."""
    return len(html) - len(html.split("<", number + 1)[-1]) - 1


def _find_attribute_bomb(html: str) -> int | None:
    """Where a tag with too many attributes begins, if there is one."""
    if not any(is_crowded_tag(html, start, max_attributes=MAX_ATTRIBUTES) for start in _endless_tags(html)):
        return None
    # A script's text can look like that too; only a walk over the whole page tells.
    return find_crowded_tag(html, max_attributes=MAX_ATTRIBUTES)


def _endless_tags(html: str) -> Iterator[int]:
    """Where what might be a tag goes on for longer than a tag should."""
    opened = closed = told = -1
    for start in range(0, len(html), _STRIDE):
        last_opened = html.rfind("<", start, start + _STRIDE)
        last_closed = html.rfind(">", start, start + _STRIDE)
        is_in_one_tag = last_opened < 0 and last_closed < 0 and opened > max(closed, told)
        if is_in_one_tag and html[opened + 1 : opened + 2].isalpha():
            told = opened
            yield opened
        opened, closed = max(opened, last_opened), max(closed, last_closed)
