"""The place of each character of an article's canonical text in its markup, and the other way round.

Canonical text folds white space, undoes escapes, composes letters with their marks and puts line breaks between blocks,
so the two have no common offsets. The map is a list of stretches, made by the walk that makes the text itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from kept.content.article.canonical import Written, walk_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Span
from kept.domain.text import begins_letter, normalise

# The parts of a text node that keep their length, and those that do not: escapes, and white space but a single space.
_PART: Final = re.compile(
    r"(&nbsp;(?:\s|&nbsp;)*+|\s(?:\s|&nbsp;)++)|(&(?:lt|gt|amp);)|(?:[^\s&]|\s(?!\s|&nbsp;)|&(?!(?:lt|gt|amp|nbsp);))++"
)
_WHITE_SPACE: Final = re.compile(r"(?:\s|&nbsp;)*+")
_NEWLINES: Final = re.compile(r"[\r\n]*+")
_PREFORMATTED_PART: Final = re.compile(r"([\r\n]++)|(&(?:lt|gt|amp|nbsp);)|(?:[^\r\n&]|&(?!(?:lt|gt|amp|nbsp);))++")
_TEXT_NODE: Final = re.compile(r"<[^<>]*+>|([^<]++)")


class Stretch(NamedTuple):
    """Characters of the text, and the markup they come from."""

    start: int
    end: int
    markup_start: int
    markup_end: int
    is_whole: bool
    """Whether any part of the text stands for all of the markup, as of an escape or a run of spaces."""


class MarkupRange(NamedTuple):
    """A part of one text node, as offsets into the markup; no tag begins or ends within."""

    start: int
    end: int


@dataclass(slots=True)
class TextMap:
    """The canonical text of an article with the place of each character in the markup. Made by `map_text`.

    Line breaks and tabs that canonical text puts between blocks and cells have no place. A letter and its accent that
    stand in two elements are one character with two places.
    """

    text: str
    stretches: list[Stretch]
    _nodes: list["_Node"] = field(init=False)

    def __post_init__(self) -> None:
        self._nodes = list(_join_neighbours(self.stretches))

    def trim(self, span: Span) -> Span | None:
        """Return the span without white space at its ends; None if nothing is left, or it is not in the text."""
        part = self.text[span.start : span.end]
        if span.end > len(self.text) or not part.strip():
            return None
        return Span(span.end - len(part.lstrip()), span.start + len(part.rstrip()))

    def markup_of(self, span: Span) -> Iterator[MarkupRange]:
        """Yield the parts of text nodes that contain the span's characters, in document order."""
        index = bisect_right(self._nodes, span.start, key=attrgetter("end"))
        while index < len(self._nodes) and (node := self._nodes[index]).start < span.end:
            yield MarkupRange(self._markup_start(node, span.start), self._markup_end(node, span.end))
            index += 1

    def span_of(self, markup: MarkupRange) -> Span | None:
        """Return the characters that are, in part or whole, in this part of the markup; None if none is."""
        first = bisect_right(self.stretches, markup.start, key=attrgetter("markup_end"))
        last = bisect_left(self.stretches, markup.end, key=attrgetter("markup_start")) - 1
        if first > last:
            return None
        return Span(
            _move(self.stretches[first], markup.start, whole=self.stretches[first].start),
            _move(self.stretches[last], markup.end, whole=self.stretches[last].end),
        )

    def _markup_start(self, node: "_Node", start: int) -> int:
        if start <= node.start:
            return node.markup.start
        stretch = self.stretches[self._bisect(node, start, "end")]
        return stretch.markup_start + (0 if stretch.is_whole else start - stretch.start)

    def _markup_end(self, node: "_Node", end: int) -> int:
        if end >= node.end:
            return node.markup.end
        stretch = self.stretches[self._bisect(node, end - 1, "start") - 1]
        return stretch.markup_end if stretch.is_whole else stretch.markup_start + end - stretch.start

    def _bisect(self, node: "_Node", position: int, edge: Literal["start", "end"]) -> int:
        """Return the first stretch of the node whose edge is beyond the position. Several may contain the character
        there: an escape and the mark that is composed with it."""
        return bisect_right(self.stretches, position, node.first, node.last + 1, key=attrgetter(edge))


class _Node(NamedTuple):
    """Stretches that follow one another in the markup, and so belong to one text node."""

    start: int
    end: int
    markup: MarkupRange
    first: int
    last: int


def map_text(html: SafeHtml) -> TextMap:
    pieces = list(walk_text(html))
    pieces[:1] = [first._replace(before="") for first in pieces[:1]]
    joined = "".join(part for piece in pieces for part in piece[:2])
    stretches = _map_pieces(pieces, str(html))
    text = normalise(joined, "NFC")
    if text != joined:
        stretches = _map_compositions(stretches, list(_find_compositions(joined)))
    before, stripped = len(text) - len(text.lstrip()), text.strip()
    return TextMap(stripped, list(stretches if stripped == text else _cut(stretches, before, len(stripped))))


def _move(stretch: Stretch, place: int, *, whole: int) -> int:
    if stretch.is_whole:
        return whole
    return stretch.start + min(max(place, stretch.markup_start), stretch.markup_end) - stretch.markup_start


def _map_pieces(pieces: list[Written], html: str) -> Iterator[Stretch]:
    at, markup_at = 0, 0
    for piece in pieces:
        stretches = _map_piece(piece, at + len(piece.before))
        if piece.before == " ":
            yield from _map_space(at, html, markup_at, stretches[0].markup_start)
        yield from stretches
        at += len(piece.before) + len(piece.text)
        markup_at = stretches[-1].markup_end


def _map_space(at: int, html: str, start: int, end: int) -> Iterator[Stretch]:
    """Yield the white space that became one space between two text nodes: at their ends, and in nodes between."""
    if (tag := html.find("<", start, end)) > start and html.find(">", tag, end) == end - 1:  # before one tag: most are
        yield Stretch(at, at + 1, start, tag, is_whole=True)
        return
    for node in _TEXT_NODE.finditer(html, start, end):
        if node[1]:
            yield Stretch(at, at + 1, node.start(), node.end(), is_whole=True)


def _map_piece(piece: Written, at: int) -> list[Stretch]:
    """Return the stretches of a text node: one for most, which have no escapes and no two spaces in a row."""
    source = piece.source
    trimmed = source.strip("\r\n") if piece.is_preformatted else source.strip()
    if len(trimmed) == len(piece.text) and "&" not in source and "\r" not in source:
        start = piece.start + source.index(trimmed)
        return [Stretch(at, at + len(trimmed), start, start + len(trimmed), is_whole=False)]
    return list(_map_parts(piece, at))


def _map_parts(piece: Written, at: int) -> Iterator[Stretch]:
    """Yield the stretches of a text node, without the white space at its ends."""
    end = at + len(piece.text)
    pattern, before = (_PREFORMATTED_PART, _NEWLINES) if piece.is_preformatted else (_PART, _WHITE_SPACE)
    first = before.match(piece.source)
    for part in pattern.finditer(piece.source, first.end() if first else 0):
        if at == end:
            return
        start, is_whole = piece.start + part.start(), part.lastindex is not None
        length = _count_written(part, piece) if is_whole else min(len(part[0]), end - at)
        yield Stretch(at, at + length, start, piece.start + part.end() if is_whole else start + length, is_whole)
        at += length


def _count_written(part: re.Match[str], piece: Written) -> int:
    """Return the length in the text: 1 for an escape or a run of spaces; two newlines in a row are kept in `pre`."""
    is_newlines = part[1] and piece.is_preformatted
    return min(len(part[0].replace("\r\n", "\n")), 2) if is_newlines else 1


class _Composition(NamedTuple):
    """Characters that normal form C writes differently, and how many they become."""

    start: int
    end: int
    length: int


def _find_compositions(text: str) -> Iterator[_Composition]:
    at = 0
    for line in text.split("\n"):
        if normalise(line, "NFC") != line:
            for start, end in _split_letters(line):
                letter = line[start:end]
                if (composed := normalise(letter, "NFC")) != letter:
                    yield _Composition(at + start, at + end, len(composed))
        at += len(line) + 1


def _split_letters(line: str) -> Iterator[tuple[int, int]]:
    """Yield each letter with its marks: normal form C never composes or reorders across their borders."""
    start = 0
    for index in range(1, len(line)):
        if begins_letter(line[index]) or line[index - 1].isspace():
            yield start, index
            start = index
    yield start, len(line)


def _map_compositions(stretches: Iterable[Stretch], compositions: list[_Composition]) -> Iterator[Stretch]:
    """Yield the stretches in offsets of the composed text; what was composed is a stretch of its own per text node."""
    index, shift = 0, 0
    for stretch in stretches:
        at = stretch.start
        while index < len(compositions) and compositions[index].start < stretch.end:
            found = compositions[index]
            if at < found.start:
                yield _shift(_part(stretch, at, found.start), shift)
                at = found.start
            end = min(found.end, stretch.end)
            part = _part(stretch, at, end)
            start = found.start + shift
            yield Stretch(start, start + found.length, part.markup_start, part.markup_end, is_whole=True)
            at = end
            if found.end > stretch.end:
                break
            index, shift = index + 1, shift + found.length - (found.end - found.start)
        if at < stretch.end:
            yield _shift(_part(stretch, at, stretch.end), shift)


def _part(stretch: Stretch, start: int, end: int) -> Stretch:
    if stretch.is_whole:
        return stretch._replace(start=start, end=end)
    before = stretch.markup_start - stretch.start
    return Stretch(start, end, start + before, end + before, is_whole=False)


def _shift(stretch: Stretch, by: int) -> Stretch:
    return stretch._replace(start=stretch.start + by, end=stretch.end + by)


def _cut(stretches: Iterable[Stretch], before: int, length: int) -> Iterator[Stretch]:
    """Yield the stretches of the text after white space at its ends is removed."""
    for stretch in stretches:
        start, end = max(stretch.start, before), min(stretch.end, before + length)
        if start < end:
            yield _shift(_part(stretch, start, end), -before)


def _join_neighbours(stretches: list[Stretch]) -> Iterator[_Node]:
    first = 0
    for index, stretch in enumerate(stretches):
        if index + 1 == len(stretches) or stretches[index + 1].markup_start != stretch.markup_end:
            markup = MarkupRange(stretches[first].markup_start, stretch.markup_end)
            yield _Node(stretches[first].start, stretch.end, markup, first, index)
            first = index + 1
