"""An editor who rewrites an article a little, as sites do between two copies; and where each character went.

Seeded, so that every run rewrites in the same way.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from kept.domain.highlight import Span

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_TYPOGRAPHY: Final = {"“": '"', "”": '"', '"': "“", "’": "'", "'": "’", "–": "-", "—": "--", "-": "\u2011", "…": "..."}
_OTHER_WORDS: Final = ("changed", "another", "of", "however", "new", "十", "rather")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text, and where each character of the original is in it; None if it is gone."""

    text: str
    places: list[Span | None]

    def find(self, original: str, span: Span) -> Span | None:
        """Where the span is now: from the first to the last of its characters that are left."""
        places = [place for place in self._places(original, span) if place]
        return Span(min(place.start for place in places), max(place.end for place in places)) if places else None

    def is_untouched(self, original: str, span: Span) -> bool:
        """Whether its words are all there, in their order and with no other between them."""
        places = [place for place in self._places(original, span) if place]
        are_all_there = len(places) == len(self._places(original, span))
        return are_all_there and all(self._follows(one, other) for one, other in pairwise(places))

    def share_from(self, span: Span, found: Span) -> float:
        """How much of a part of the new text comes from the span."""
        from_span = {
            index for place in self.places[span.start : span.end] if place for index in range(place.start, place.end)
        }
        return len(from_span.intersection(range(found.start, found.end))) / (found.end - found.start)

    def _follows(self, one: Span, other: Span) -> bool:
        between = self.text[one.end : other.start]
        return one == other or (one.end <= other.start and not between.strip("\xad \n\t"))

    def _places(self, original: str, span: Span) -> list[Span | None]:
        return [self.places[index] for index in range(span.start, span.end) if not original[index].isspace()]


class _Piece(NamedTuple):
    """What takes the place of a part of the original; nothing of it is left if it has no origin."""

    text: str
    origin: Span | None = None


def rewrite_article(text: str, seed: int) -> Rewritten:
    """Move a fifth of the paragraphs, drop one in thirty, change one word in twenty, and the typography of half."""
    dice = random.Random(seed)
    kept = [paragraph for paragraph in _split_paragraphs(text) if dice.random() >= 1 / 30]
    moving = {paragraph for paragraph in kept if dice.random() < 0.2}
    order = [paragraph for paragraph in kept if paragraph not in moving]
    for paragraph in sorted(moving):
        order.insert(dice.randint(0, len(order)), paragraph)
    written, places, at = [], list[Span | None]([None] * len(text)), 0
    for piece in (piece for paragraph in order for piece in _edit(*paragraph, dice)):
        if piece.origin is not None:
            for index in range(piece.origin.start, piece.origin.end):
                is_same = len(piece.text) == piece.origin.end - piece.origin.start
                offset = index - piece.origin.start
                places[index] = Span(at + offset, at + offset + 1) if is_same else Span(at, at + len(piece.text))
        written.append(piece.text)
        at += len(piece.text)
    return Rewritten("".join(written), places)


def _split_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for paragraph in text.split("\n\n"):
        yield start, paragraph
        start += len(paragraph) + 2


def _edit(start: int, paragraph: str, dice: random.Random) -> Iterator[_Piece]:
    changes_typography = dice.random() < 0.5
    for found in _WORD.finditer(paragraph):
        word, origin = found[0], Span(start + found.start(), start + found.end())
        chance = dice.random()
        if word[0].isalnum() and chance < 0.05:
            yield from _change(word, origin, dice)
        elif changes_typography and word[0].isalnum() and len(word) > 8 and chance > 0.9:
            yield _Piece(word[:4], Span(origin.start, origin.start + 4))
            yield _Piece("\xad")
            yield _Piece(word[4:], Span(origin.start + 4, origin.end))
        elif changes_typography:
            yield _Piece(_TYPOGRAPHY.get(word, word), origin)
        else:
            yield _Piece(word, origin)
    yield _Piece("\n\n")


def _change(word: str, origin: Span, dice: random.Random) -> Iterator[_Piece]:
    kind = dice.choice(("replace", "replace", "drop", "insert"))
    if kind != "drop":
        yield _Piece(dice.choice(_OTHER_WORDS))
    if kind == "insert":
        yield _Piece(" ")
        yield _Piece(word, origin)
