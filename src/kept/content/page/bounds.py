"""Limits on the markup a parser is given, found in the text alone, before any parser sees it.

Tree construction by the HTML standard is quadratic in three ways that a small page can exploit. Measured with lexbor
on one core: 50,000 nested `<div>` take 7 s; 80,000 attributes on one tag take 29 s; 1,500 distinct unclosed `<b>`
before 1,500 `<p>` (21 KB of text) take 0.8 s and 800 MB, since every paragraph opens them all again.

A page's card is read where nothing can stop the parser, so `bounded_prefix` cuts the page before a tag that could cost
much. An article is read in a child process with limits of its own: `find_excess` only spares it what counting tells.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from kept.content.markup import MAX_DEPTH
from kept.content.markup import tags as names
from kept.domain.message import Message

# Even the worst nesting of so many elements costs lexbor 45 ms.
_MAX_TAGS: Final = 5_000
NESTED_TOO_DEEP: Final = Message("Tags are nested more than %(max_depth)s deep.", {"max_depth": f"{MAX_DEPTH:,}"})
# How many elements reopened formatting may add at worst: 300,000 would be 100 MB.
_MAX_REOPENED: Final = 300_000
# The same for an article, whose child may have a gigabyte.
_MAX_REOPENED_IN_CHILD: Final = 2_000_000
# Without attributes the standard reopens at most three of each of thirteen kinds.
_PLAIN_FORMATTING: Final = 39


def _in_any_case(name: str) -> str:
    """Return a pattern for a name in any case, which costs half of what IGNORECASE does."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in name)


_FORMATTING_NAMES: Final = names("b big code em font i nobr s small strike strong tt u")
_ANY_FORMATTING: Final = "|".join(map(_in_any_case, sorted(_FORMATTING_NAMES)))
_FORMATTING: Final = re.compile(rf"<(?:{_ANY_FORMATTING})[\s/]")
_FORMATTING_TAG: Final = re.compile(rf"<({_ANY_FORMATTING})(?=[\s/>])([^>]*)")
_TAG: Final = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)")
# Elements that hold others and must be closed. Only these: in a script, `i<n` looks like the beginning of a tag too.
_CONTAINERS: Final = names(
    "article aside blockquote center details div dl fieldset figure footer form header main math nav object ol section "
    "span sub sup svg table template ul"
)

# Written as nearly all are, and written anyhow; no real page seen has a hundred of either on one tag.
_PLAIN_ATTRIBUTE: Final = r'(?: [a-zA-Z-]++="[^"]*+")'
_VALUE: Final = r"""(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+)"""
_ATTRIBUTE: Final = rf"(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+{_VALUE})?+)"
_ATTRIBUTES: Final = rf"{_PLAIN_ATTRIBUTE}{{0,256}}+{_ATTRIBUTE}{{0,256}}+[\s/]*+"
# A script and the like, up to its end tag: `a <b && c …` in a script is no tag.
_RAW_TEXT: Final = "|".join(
    rf"{name}(?=[\s/>]){_ATTRIBUTES}>(?:[^<]++|<(?!/{name}[\s/>]))*+"
    for name in map(_in_any_case, sorted(names("script style textarea title xmp iframe noembed noframes")))
)
# Everything up to the first tag that has more attributes. No groups are captured: Python 3.11 loses them in repeats.
_ORDINARY: Final = re.compile(
    "(?:[^<]++|<(?:"
    r"/[a-zA-Z][a-zA-Z0-9]*+>"  # an end tag as nearly all are
    rf"|{_RAW_TEXT}"
    rf"|/?[a-zA-Z][^\s/>]*+(?:>|{_ATTRIBUTES}(?:>|\Z))"
    r"|!--(?!-?>)(?:[^-]++|-(?!-!?>))*+"  # a comment, up to its end
    r"|(?:[!?](?!--)|/(?![a-zA-Z]))[^>]*+"  # what is read as a comment: a doctype, <?xml
    "|(?!/?[a-zA-Z])))*+"
)


@lru_cache(maxsize=1)  # the readers of one page ask for the same
def bounded_prefix(html: str) -> str:
    """Return as much of the page's start as is cheap to parse whatever it holds; nearly always all of it.

    It is for readers of metadata, which is at a page's start anyway.
    """
    if html.count("<") > _MAX_TAGS:
        html = _first_tags(html, _MAX_TAGS)
    html = html[: _end_of_ordinary_tags(html)]
    tags = html.count("<")
    few = _parsable_tags(html) if tags * (tags + _PLAIN_FORMATTING) > _MAX_REOPENED else tags
    return html if tags <= few else _first_tags(html, few)


def find_excess(html: str) -> str | None:
    """Return why the whole document should not be parsed, in words for people, or None; a count can be misled."""
    if _end_of_ordinary_tags(html) < len(html):
        return "A tag has too many attributes."
    tags = _in_lower_case(Counter(_TAG.findall(html)))
    if sum(_unclosed(tags, name) for name in _CONTAINERS) > MAX_DEPTH:
        return str(NESTED_TOO_DEEP)
    if tags.total() * sum(_unclosed(tags, name) for name in _FORMATTING_NAMES) <= _MAX_REOPENED_IN_CHILD:
        return None
    # Of formatting tags that are the same to the letter, the standard reopens three.
    distinct = _in_lower_case(Counter(name for name, _ in set(_FORMATTING_TAG.findall(html))))
    if tags.total() * sum(min(_unclosed(tags, name), 3 * distinct[name]) for name in distinct) > _MAX_REOPENED_IN_CHILD:
        return "Unclosed formatting would multiply without end."
    return None


def _in_lower_case(counted: Counter[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, count in counted.items():
        counts[name.lower()] += count
    return counts


def _unclosed(tags: Counter[str], name: str) -> int:
    return max(0, tags[name] - tags[f"/{name}"])


@lru_cache(maxsize=2)  # one entry for a page and one for its head
def _end_of_ordinary_tags(html: str) -> int:
    ordinary = _ORDINARY.match(html)
    return ordinary.end() if ordinary else 0


def _first_tags(html: str, count: int) -> str:
    """Return the page up to the tag after the first `count`."""
    return html[: -len(html.split("<", count + 1)[-1]) - 1]


def _parsable_tags(html: str) -> int:
    """Return how many tags can be parsed with few elements reopened: each tag may reopen all formatting before it."""
    tags = formatting = position = 0
    for found in _FORMATTING.finditer(html):
        tags += html.count("<", position, found.start())
        if (tags + 1) * (formatting + 1 + _PLAIN_FORMATTING) > _MAX_REOPENED:
            return min(tags, _MAX_REOPENED // (formatting + _PLAIN_FORMATTING))
        position = found.start()
        formatting += 1
    return _MAX_REOPENED // (formatting + _PLAIN_FORMATTING)
