"""Places in an article as other programs tell them: the XPath of an element below the article's root, and an offset
into that element's text. annotator.js, and so wallabag, counts UTF-16 code units; Readeck counts code points.

An article's tree is that of its markup. A browser may see another one, such as with a `tbody` that nobody wrote: what
is not found by its path is found by its quote.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from kept.content.article.highlights.text_map import MarkupRange, TextMap, map_text
from kept.content.article.safe_html import VOID_TAGS, SafeHtml
from kept.domain.highlight import Span

# As for marks: mapping ten megabytes of nothing but tags would take seconds.
MAX_TAGS: Final = 300_000
MAX_PATH: Final = 2_000
ESCAPES: Final = ("&lt;", "&gt;", "&amp;", "&nbsp;")
_TOKEN: Final = re.compile(r"<(/?)([a-z0-9]++)[^<>]*+>|([^<]++)")
_CHARACTER: Final = re.compile(r"&(?:lt|gt|amp|nbsp);|.", re.DOTALL)
_STEP: Final = re.compile(r"([a-z0-9]{1,20})(?:\[(\d{1,7})\])?")


@dataclass(frozen=True, slots=True)
class XPathRange:
    start: str
    start_offset: int
    end: str
    end_offset: int


class _Node(NamedTuple):
    """A text node."""

    markup_start: int
    source: str
    parent: str
    """The path of the element that contains it."""


@dataclass(slots=True)
class _Element:
    first: int
    """The index of its first text node."""
    end: int = 0


class ArticlePlaces:
    """The places in one article, whose markup is read once for any number of questions."""

    def __init__(self, html: SafeHtml, *, in_utf16: bool = True) -> None:
        self._html, self._in_utf16 = html, in_utf16
        self._nodes: list[_Node] = []
        self._elements: dict[str, _Element] = {}
        self._is_readable = str(html).count("<") <= MAX_TAGS
        if self._is_readable:
            _Walk(self._nodes, self._elements).run(str(html))

    @cached_property
    def _text_map(self) -> TextMap:
        return map_text(self._html)

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which the nodes' texts begin in that of the article; one more at the end."""
        return list(accumulate((self._count(node.source) for node in self._nodes), initial=0))

    def find_span(self, wanted: XPathRange) -> Span | None:
        """Return the span of the canonical text between the two places; None where one of them is not there."""
        start, end = (
            self._find_place(wanted.start, wanted.start_offset),
            self._find_place(wanted.end, wanted.end_offset),
        )
        if start is None or end is None or start >= end:
            return None
        span = self._text_map.span_of(MarkupRange(start, end))
        return self._text_map.trim(span) if span else None

    def write_range(self, span: Span) -> XPathRange | None:
        """Return the range of a span; None for one that is not in this text."""
        if not self._is_readable:
            return None
        parts = list(self._text_map.markup_of(span))
        if not parts:
            return None
        return XPathRange(*self._write_place(parts[0].start), *self._write_place(parts[-1].end, is_end=True))

    def _find_place(self, path: str, offset: int) -> int | None:
        """Find a place as an offset into the markup."""
        normal = normalise_path(path)
        element = self._elements.get(normal) if normal is not None else None
        if element is None or offset < 0:
            return None
        wanted = self._starts[element.first] + offset
        if element.first == element.end or wanted > self._starts[element.end]:
            return None
        index = bisect_left(self._starts, wanted, element.first + 1, element.end) - 1
        node = self._nodes[index]
        return node.markup_start + _skip(node.source, wanted - self._starts[index], in_utf16=self._in_utf16)

    def _write_place(self, place: int, *, is_end: bool = False) -> tuple[str, int]:
        """Return the path and offset of a place; an end may be right behind its text node."""
        index = bisect_right(self._nodes, place - is_end, key=attrgetter("markup_start")) - 1
        node = self._nodes[index]
        before = self._starts[index] - self._starts[self._elements[node.parent].first]
        return node.parent, before + self._count(node.source[: place - node.markup_start])

    def _count(self, source: str) -> int:
        return count_units(source) if self._in_utf16 else count_code_points(source)


def normalise_path(path: str) -> str | None:
    """Return `div/p[2]`, `./div/p[2]` and `/div/p[2]` as `/div[1]/p[2]`; None for what is no path of elements."""
    if len(path) > MAX_PATH:
        return None
    said = path.strip().removeprefix(".").strip("/")
    steps = []
    for part in said.split("/") if said else ():
        step = _STEP.fullmatch(part.strip().lower())
        if step is None:
            return None
        steps.append(f"/{step[1]}[{int(step[2] or 1)}]")
    return "".join(steps)


def count_units(source: str) -> int:
    """Return the length of a text node in UTF-16, with its escapes undone."""
    wide = 0 if source.isascii() else sum(character > "\uffff" for character in source)
    return count_code_points(source) + wide


def count_code_points(source: str) -> int:
    escaped = sum((len(escape) - 1) * source.count(escape) for escape in ESCAPES) if "&" in source else 0
    return len(source) - escaped


def _characters(source: str, *, in_utf16: bool) -> Iterator[tuple[str, int]]:
    """Yield each character as it is in the markup, with its length."""
    for found in _CHARACTER.finditer(source):
        character = found[0]
        yield character, 2 if in_utf16 and len(character) == 1 and ord(character) > 0xFFFF else 1


def _skip(source: str, units: int, *, in_utf16: bool) -> int:
    at = 0
    for character, length in _characters(source, in_utf16=in_utf16):
        if units < length:
            break
        at, units = at + len(character), units - length
    return at


@dataclass(slots=True)
class _Walk:
    nodes: list[_Node]
    elements: dict[str, _Element]
    open: list[tuple[str, str]] = field(default_factory=lambda: [("", "")])
    """The open elements with tag and path, the root first."""
    counts: list[Counter[str]] = field(default_factory=lambda: [Counter()])
    """The number of children of each, by tag."""

    def run(self, html: str) -> None:
        self.elements[""] = _Element(0)
        for token in _TOKEN.finditer(html):
            closing, tag, text = token.groups()
            if text:
                self.nodes.append(_Node(token.start(), text, self.open[-1][1]))
            elif closing:
                self.close(tag)
            else:
                self.begin(tag)
        for _, path in self.open:
            self.elements[path].end = len(self.nodes)

    def begin(self, tag: str) -> None:
        self.counts[-1][tag] += 1
        path = f"{self.open[-1][1]}/{tag}[{self.counts[-1][tag]}]"
        if len(path) > MAX_PATH:  # deeper than anybody's selection; its text is its ancestor's
            path = self.open[-1][1]
        else:
            self.elements[path] = _Element(len(self.nodes), len(self.nodes))
        if tag not in VOID_TAGS:
            self.open.append((tag, path))
            self.counts.append(Counter())

    def close(self, tag: str) -> None:
        if len(self.open) < 2 or self.open[-1][0] != tag:
            return
        _, path = self.open.pop()
        self.counts.pop()
        if path != self.open[-1][1]:
            self.elements[path].end = len(self.nodes)


def write_ranges(html: SafeHtml, spans: Sequence[Span | None]) -> list[XPathRange | None]:
    """Return the ranges of several highlights of one article."""
    places = ArticlePlaces(html) if any(spans) else None
    return [places.write_range(span) if places and span else None for span in spans]
