"""The passage of a text that shows why it was found: escaped first, then marked, so that nothing in it is markup."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import islice
from typing import Final, NamedTuple

from kept.content.search.query import Term
from kept.content.search.words import LETTER, MOST_CHARACTERS, fold

WIDTH: Final = 240
BEFORE: Final = 60  # of which so much before the first word found
MOST_PLACES: Final = 50
ELLIPSIS: Final = "…"
_EDGE: Final = re.compile(r"\s")


class Passage(NamedTuple):
    html: str
    """With no tags but `<mark>`."""
    start: int
    """Where its line begins in the text."""


def find_passage(text: str, terms: Sequence[Term]) -> Passage | None:
    """None where none of the words is in what is indexed of the text."""
    pattern = compile_terms(tuple(terms))
    line = find_line(text[:MOST_CHARACTERS], terms) if pattern else None
    if pattern is None or line is None:
        return None
    return Passage(mark(cut(line.text, pattern), pattern), line.start)


def make_snippet(text: str, terms: Sequence[Term]) -> str | None:
    """HTML with no tags but `<mark>`, or None where none of the words is in what is indexed of the text."""
    found = find_passage(text, terms)
    return found.html if found else None


def mark_all(text: str, terms: Sequence[Term]) -> str:
    """The whole of a short text, as HTML with the words marked."""
    pattern = compile_terms(tuple(terms))
    return mark(text, pattern) if pattern else escape(text)


@lru_cache(maxsize=64)
def compile_terms(terms: tuple[Term, ...]) -> re.Pattern[str] | None:
    """Finds any of them in folded text; longer ones first, so that a phrase is marked as a whole."""
    spelt = sorted((spell(term) for term in terms), key=len, reverse=True)
    return re.compile("|".join(spelt)) if spelt else None


def spell(term: Term) -> str:
    """What comes before the first word is looked at once the word is found: to search for letters is quick."""
    begins_spaceless, ends_spaceless = term.runs[0][1], term.runs[-1][1]
    first, *others = (re.escape(run) for run, _ in term.runs)
    begin = first if begins_spaceless else f"{first}(?<!{LETTER}{first})"
    end = "" if ends_spaceless else f"(?:{LETTER})*" if term.is_beginning else f"(?!{LETTER})"
    return r"[\W_]*".join([begin, *others]) + end


class Line(NamedTuple):
    text: str
    start: int


def find_line(text: str, terms: Sequence[Term]) -> Line | None:
    """The first of the lines that say most of the words."""
    patterns = [re.compile(spell(term)) for term in terms]
    # Folding a long text takes ten times as long as this, and most words have no accents.
    lowered = text.lower()
    folded = lowered if all(pattern.search(lowered) for pattern in patterns) else fold(text)
    said = Counter(number for pattern in patterns for number in list_lines(folded, pattern))
    if not said:
        return None
    best = max(said, key=lambda number: (said[number], -number))
    lines = text.split("\n", best + 1)
    if best >= len(lines):
        return None
    return Line(lines[best], sum(len(line) + 1 for line in lines[:best]))


def list_lines(text: str, pattern: re.Pattern[str]) -> set[int]:
    """The numbers of the lines where it stands, of the first few places."""
    found, number, at = set(), 0, 0
    for match in islice(pattern.finditer(text), MOST_PLACES):
        number += text.count("\n", at, match.start())
        at = match.start()
        found.add(number)
    return found


def cut(line: str, pattern: re.Pattern[str]) -> str:
    """At spaces where there are some near, with an ellipsis where something is left out."""
    line = " ".join(line.split())
    spans = find_spans(line, pattern)
    start = max(0, spans[0][0] - BEFORE) if spans and spans[0][1] > WIDTH else 0
    end = min(len(line), start + WIDTH)
    if start > 0:
        space = _EDGE.search(line, start, spans[0][0])
        start = space.end() if space else start
    if end < len(line):
        space_at = line.rfind(" ", end - BEFORE, end)
        end = space_at if space_at > start else end
    return (ELLIPSIS if start > 0 else "") + line[start:end] + (ELLIPSIS if end < len(line) else "")


def mark(text: str, pattern: re.Pattern[str]) -> str:
    shown, at = [], 0
    for start, end in find_spans(text, pattern):
        shown += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
        at = end
    return "".join([*shown, escape(text[at:])])


def find_spans(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where the words stand in the text as it was written: é found as e is still é."""
    folded, origin = fold_with_origin(text)
    found = ((origin[match.start()], origin[match.end() - 1] + 1) for match in pattern.finditer(folded) if match[0])
    return list(found)


def fold_with_origin(text: str) -> tuple[str, Sequence[int]]:
    """Folded text, and for each of its characters which one of the text it came from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text))
    pieces = [fold(character) for character in text]
    origin = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origin
