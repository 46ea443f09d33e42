"""A text without the characters in which copies of it differ, and the way back to its offsets, for `anchoring`."""

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from kept.domain.highlight import Span
from kept.domain.text import normalise

# Soft hyphen, and what has no width: browsers, editors and content management systems add and drop them.
_INVISIBLE: Final = "\xad\u200b\u2060\ufeff"
# Quotation marks and apostrophes, hyphens and dashes, dots and ellipses: what "smart punctuation" changes.
TYPOGRAPHIC: Final = "\"'`´‘’‚‛“”„‟‹›«»′″「」『』-‐‑‒–—―−.…‥"

# Runs of the characters that stay.
SPACING_FOLDED: Final = re.compile(rf"[^\s{_INVISIBLE}]++")
TYPOGRAPHY_FOLDED: Final = re.compile(rf"[^\s{_INVISIBLE}{re.escape(TYPOGRAPHIC)}]++")
# Browsers show the letters of formulas as these, and copy them so.
_MATHEMATICAL: Final = re.compile("[\U0001d400-\U0001d7ff]")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """What remains of a text after folding, as one string, and where each run of it was."""

    text: str
    _starts: "array[int]"
    _folded_starts: "array[int]"

    @classmethod
    def of(cls, text: str, staying: re.Pattern[str]) -> "FoldedText":
        runs = staying.findall(text)
        starts = array("I", (run.start() for run in staying.finditer(text)))
        return cls(_spell_plainly("".join(runs)), starts, array("I", accumulate(map(len, runs), initial=0)))

    def unfold(self, start: int, end: int) -> Span:
        """Return the span of the original text that begins and ends with these characters."""
        return Span(self._position(start), self._position(end - 1) + 1)

    def fold(self, position: int) -> int:
        """Return how many characters before the position remain."""
        run = bisect_right(self._starts, position) - 1
        if run < 0:
            return 0
        return min(self._folded_starts[run] + position - self._starts[run], self._folded_starts[run + 1])

    def _position(self, folded: int) -> int:
        run = bisect_right(self._folded_starts, folded) - 1
        return self._starts[run] + folded - self._folded_starts[run]


def fold(text: str, staying: re.Pattern[str]) -> str:
    return _spell_plainly("".join(staying.findall(text)))


def _spell_plainly(text: str) -> str:
    """Replace each mathematical letter by the letter it is a style of, one for one."""
    return _MATHEMATICAL.sub(lambda letter: normalise(letter[0], "NFKC"), text)
