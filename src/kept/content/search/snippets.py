"""The passage of a text that shows why it was found: escaped first, then marked, so that nothing in it is markup."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import chain, islice
from typing import Final, NamedTuple

from kept.content.search.query import Term
from kept.content.search.words import MOST_CHARACTERS, fold, has_uncommon

WIDTH: Final = 240
BEFORE: Final = 60  # the part of it before the first word found
MOST_PLACES: Final = 50
ELLIPSIS: Final = "…"
_EDGE: Final = re.compile(r"\s")


class Passage(NamedTuple):
    html: str
    """HTML with no tags but `<mark>`."""
    start: int
    """The offset of its line in the text."""


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TermFinder:
    """Finds a term in folded text.

    The characters beside each place show where words begin and end: an expression with every letter of Unicode in it
    would take 4 ms to compile for each word that anybody looks for.
    """

    words: re.Pattern[str]
    begins_anywhere: bool
    ends_anywhere: bool
    is_beginning: bool

    def find(self, text: str) -> Iterator[Span]:
        match = self.words.search(text)
        while match is not None:
            start, end = match.span()
            begins = self.begins_anywhere or start == 0 or not is_letter(text[start - 1])
            if begins and (ends_at := self._end(text, end)) is not None:
                yield start, ends_at
                match = self.words.search(text, ends_at)
            else:
                match = self.words.search(text, start + 1)

    def _end(self, text: str, end: int) -> int | None:
        if self.ends_anywhere or end == len(text) or not is_letter(text[end]):
            return end
        return end_of_word(text, end) if self.is_beginning else None


def is_letter(character: str) -> bool:
    """Return whether a character is a letter in any script; most need no expression for that."""
    if character.isascii():
        return character.isalnum()
    from kept.content.search.words import LETTER

    return LETTER.match(character) is not None


def end_of_word(text: str, at: int) -> int:
    from kept.content.search.words import LETTERS

    rest = LETTERS.match(text, at)
    return rest.end() if rest else at


@lru_cache(maxsize=256)
def compile_term(term: Term) -> TermFinder:
    begins_anywhere, ends_anywhere = term.runs[0][1], term.runs[-1][1]
    first, *rest = (re.escape(run) for run, _ in term.runs)
    # Most places inside other words are passed over here already; the finder knows the letters of every script. What
    # stands before is asked last: an expression that begins with letters is found ten times as fast.
    before = "" if begins_anywhere else f"(?<![a-z0-9]{first})"
    after = "" if ends_anywhere or term.is_beginning else "(?![a-z0-9])"
    pattern = re.compile(r"[\W_]*".join([first + before, *rest]) + after)
    return TermFinder(pattern, begins_anywhere, ends_anywhere, term.is_beginning)


def compile_terms(terms: Sequence[Term]) -> list[TermFinder]:
    """Compile terms, longer ones first, so that a phrase is marked as a whole."""
    return [compile_term(term) for term in sorted(terms, key=measure_length, reverse=True)]


def measure_length(term: Term) -> int:
    return sum(len(run) for run, _ in term.runs)


def find_passage(text: str, terms: Sequence[Term]) -> Passage | None:
    """Find the passage to show; None where none of the words is in the indexed part of the text."""
    line = find_line(text[:MOST_CHARACTERS], terms) if terms else None
    if line is None:
        return None
    finders = compile_terms(terms)
    return Passage(mark(cut(line.text, finders), finders), line.start)


def make_snippet(text: str, terms: Sequence[Term]) -> str | None:
    """Return HTML with no tags but `<mark>`, or None where none of the words is in the indexed part of the text."""
    found = find_passage(text, terms)
    return found.html if found else None


class Line(NamedTuple):
    text: str
    start: int


def find_line(text: str, terms: Sequence[Term]) -> Line | None:
    """Return the first of the lines that contain most of the words."""
    finders = compile_terms(terms)
    # Folding a long text takes ten times as long as this, and most words have no accents.
    lowered = text.lower()
    each = [list_lines(lowered, finder) for finder in finders]
    if not all(each) and has_uncommon(text):
        folded = fold_lines(text, lowered)
        each = [list_lines(folded, finder) for finder in finders]
    said = Counter(chain.from_iterable(each))
    if not said:
        return None
    best = max(said, key=lambda number: (said[number], -number))
    lines = text.split("\n", best + 1)
    if best >= len(lines):
        return None
    return Line(lines[best], sum(map(len, lines[:best])) + best)


def fold_lines(text: str, lowered: str) -> str:
    """Fold the lines in which it makes a difference; most lines only need lower case."""
    lines = zip(text.split("\n"), lowered.split("\n"), strict=True)
    return "\n".join(fold(line) if has_uncommon(line) else small for line, small in lines)


def list_lines(text: str, finder: TermFinder) -> set[int]:
    """Return the numbers of the lines with the term, for its first few places."""
    found, number, at = set(), 0, 0
    for start, _ in islice(finder.find(text), MOST_PLACES):
        number += text.count("\n", at, start)
        at = start
        found.add(number)
    return found


def cut(line: str, finders: Sequence[TermFinder]) -> str:
    """Cut a line at spaces where some are near, with an ellipsis where something is left out."""
    line = " ".join(line.split())
    spans = find_spans(line, finders)
    start = max(0, spans[0][0] - BEFORE) if spans and spans[0][1] > WIDTH else 0
    end = min(len(line), start + WIDTH)
    if start > 0:
        space = _EDGE.search(line, start, spans[0][0])
        start = space.end() if space else start
    if end < len(line):
        space_at = line.rfind(" ", end - BEFORE, end)
        end = space_at if space_at > start else end
    return (ELLIPSIS if start > 0 else "") + line[start:end] + (ELLIPSIS if end < len(line) else "")


def mark(text: str, finders: Sequence[TermFinder]) -> str:
    shown, at = [], 0
    for start, end in find_spans(text, finders):
        shown += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
        at = end
    return "".join([*shown, escape(text[at:])])


def find_spans(text: str, finders: Sequence[TermFinder]) -> list[Span]:
    """Return the spans of the words in the original text, in which é was found as e; of two that overlap, the first."""
    folded, origin = fold_with_origin(text)
    each = sorted((start, at, end) for at, finder in enumerate(finders) for start, end in finder.find(folded))
    spans: list[Span] = []
    ended = 0
    for start, _, end in each:
        if ended <= start < end:
            spans.append((origin[start], origin[end - 1] + 1))
            ended = end
    return spans


def fold_with_origin(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and for each of its characters the offset in the text it came from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text))
    pieces = [fold(character) for character in text]
    origin = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origin
