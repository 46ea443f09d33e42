"""Finds a passage in a text that has changed a little: by what both still have in common, and by edit distance.

`anchoring` uses it and folds both before. The work is bounded by the passage's length, which the caller bounds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

# Ten letters in a row are two words. Every fifth place is remembered, so that fourteen in a row are always found
# again; fewer places are remembered in a text that would fill the memory.
_GRAM: Final = 10
_STEP: Final = 5
_MAX_GRAMS: Final = 200_000
_SEVERAL: Final = -1


class Match(NamedTuple):
    start: int
    end: int
    distance: int
    """The number of letters that were inserted, left out or replaced."""


@dataclass(frozen=True, slots=True)
class GramIndex:
    """The places of runs of ten letters in a text (an n-gram index); runs that it has twice are of no use."""

    positions: dict[str, int]

    @classmethod
    def of(cls, text: str) -> "GramIndex":
        positions: dict[str, int] = {}
        for place in range(0, len(text) - _GRAM + 1, max(_STEP, len(text) // _MAX_GRAMS)):
            gram = text[place : place + _GRAM]
            positions[gram] = _SEVERAL if gram in positions else place
        return cls(positions)

    def estimate_starts(self, passage: str, within: int) -> list[int]:
        """Return where the passage may begin, by the runs that it shares with the text, the most likely place first.

        Runs that put the beginning `within` so many letters of one another count for the same place.
        """
        groups: list[list[int]] = []
        for start in sorted(self._guess_starts(passage)):
            if groups and start - groups[-1][-1] <= within:
                groups[-1].append(start)
            else:
                groups.append([start])
        groups.sort(key=len, reverse=True)
        return [group[len(group) // 2] for group in groups]

    def _guess_starts(self, passage: str) -> Iterator[int]:
        for offset in range(len(passage) - _GRAM + 1):
            place = self.positions.get(passage[offset : offset + _GRAM], _SEVERAL)
            if place != _SEVERAL:
                yield place - offset


def match_near(passage: str, text: str, start: int, slack: int) -> Match:
    """Find the part of the text that is most like the passage and begins about at `start`."""
    first = max(0, start - slack)
    window = text[first : max(0, start + len(passage) + slack)]
    distance, end = _find_nearest_end(passage, window, start - first + len(passage))
    _, from_end = _find_nearest_end(passage[::-1], window[::-1], len(window) - (start - first))
    return Match(first + len(window) - from_end, first + end, distance)


def _find_nearest_end(pattern: str, text: str, expected: int) -> tuple[int, int]:
    """Return the edit distance to the part of the text nearest to the pattern, and its end, of several the expected.

    This is Myers' bit-parallel algorithm of 1999: each number holds one bit for each letter of the pattern, whether the
    distance rises or falls there from one row, or one column, of the table to the next.
    """
    all_bits, last_bit = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    equal_to: dict[str, int] = {}
    for index, letter in enumerate(pattern):
        equal_to[letter] = equal_to.get(letter, 0) | 1 << index
    rises, falls, distance = all_bits, 0, len(pattern)
    nearest = (distance, abs(expected), 0)
    for end, letter in enumerate(text, start=1):
        equal = equal_to.get(letter, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal
        across_rises = falls | (~(diagonal | rises) & all_bits)
        across_falls = rises & diagonal
        distance += bool(across_rises & last_bit) - bool(across_falls & last_bit)
        nearest = min(nearest, (distance, abs(end - expected), end))
        across_rises, across_falls = across_rises << 1, across_falls << 1
        vertical = equal | falls
        rises = (across_falls | ~(vertical | across_rises)) & all_bits
        falls = across_rises & vertical & all_bits
    return nearest[0], nearest[2]
