"""Chooses who wrote a page, of all the names it gives, for `metadata` and for what Readability finds in the text."""

import re
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from kept.content.page.text_cleaning import clean_line

_OPENING: Final = re.compile(
    r"(?:(?:written |posted |story |recipe |words |text )?by|von|par|por|di"
    r"|(?:authors?|autor(?:in)?|av|text|текст|автор|作者|文)(?=[:：]))[:：\s]\s*+(?=\w)",
    re.IGNORECASE,
)
_LONGEST_OPENING: Final = 40
# "Ann Bell - 2018-09-16", "Ann Bell | 3 May 2021"
_DATE_BEHIND: Final = re.compile(r"(?:(?<!\s)\s++[-–—|•·]|,)\s*+(?=.{0,12}\d)[^–—|•·]{4,30}\Z")
_MONTHS: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
# As in "Ann Bell March 25", "Ann Bell Edited by Bo Lind", "Ann Bell" and her URL in brackets.
_MORE_BEHIND: Final = re.compile(
    r"(?<=\w)\s++(?:(?:edited|reviewed|illustrated|translated|photographed|fact[- ]checked) by\b.{0,200}"
    rf"|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\W{{0,5}}|\(https?://[^()\s]{{1,200}}\))\Z",
    re.IGNORECASE,
)
# What content management systems call whoever set them up.
_NOBODY: Final = frozenset({"admin", "administrator", "editor", "author", "unknown", "guest", "anonymous"})
# What stands where a name would: a button, or a day.
_NO_NAME: Final = re.compile(
    r"(?:view|read|show|see|leave|add|post|write|\d{1,6}) (?:all |a |your )?(?:\d{1,6} )?comments?\b"
    r"|follow (?:the )?authors?\b"
    rf"|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\W{{0,5}}\Z",
    re.IGNORECASE,
)
_LONGEST_NO_NAME: Final = 60
# The page's own marks of an author, the plainest first. Readers who comment bear them too, further down.
_MARKS: Final = (
    "a[rel~=author], [itemprop~=author]",
    ".author-name, .author__name, .byline__name, a.author",
    ".byline, .author",
)
_MOST_AUTHORS: Final = 3
_LONGEST_NAME: Final = 60
_MOST_WORDS: Final = 5


def choose_byline(names: Iterable[str | None], site_name: str | None) -> str | None:
    """Return the first name of somebody; one that only repeats the site's name is better than none."""
    cleaned = [clean_byline(name) for name in names if name]
    somebody = [name for name in cleaned if name and name.lower() not in _NOBODY and not is_no_name(name)]
    people = [name for name in somebody if not repeats_site(name, site_name)]
    return next(iter((*people, *somebody)), None)


def is_no_name(text: str) -> bool:
    return len(text) <= _LONGEST_NO_NAME and _NO_NAME.match(text) is not None


def clean_byline(name: str) -> str:
    match = _OPENING.match(name[:_LONGEST_OPENING])
    return _MORE_BEHIND.sub("", _DATE_BEHIND.sub("", name[match.end() :] if match else name))


def repeats_site(name: str, site_name: str | None) -> bool:
    said, site = ("".join(filter(str.isalnum, text[:200])).lower() for text in (name, site_name or ""))
    return bool(site) and (said == site or f"{said}com" == site)


def find_marked_author(page: LexborHTMLParser) -> str | None:
    """Find the author that the page's text marks; not with figures in it, nor one word, which may be a button."""
    marked = (node for marks in _MARKS for node in page.css(marks)[:_MOST_AUTHORS])
    nodes = (node for parent in marked for node in (parent.css_first("a"), parent) if node is not None)
    names = (clean_byline(clean_line(node.text(separator=" ")[:500])) for node in nodes)
    return next(filter(is_name, names), None)


def is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and 2 <= len(text.split()) <= _MOST_WORDS and not any(map(str.isdigit, text))
