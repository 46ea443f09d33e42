"""Hyphens at line ends: most divide a word, some belong to it. The document's other words tell which."""

import re
from collections.abc import Iterable
from typing import Final

from kept.content.documents.pdf_lines import HYPHEN

_WORDS: Final = re.compile(r"[^\W\d_]++(?:-[^\W\d_]++)*+")
_DIVIDED: Final = re.compile(rf"(?<![^\W\d_])([^\W\d_]*+){HYPHEN}([^\W\d_]*+)")
# What a text without end may cost.
MAX_WORDS: Final = 500_000


class Vocabulary:
    """The words of a document, in small letters."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Final[set[str]] = set()
        for text in texts:
            if len(self._words) < MAX_WORDS:
                self._words.update(word.lower() for word in _WORDS.findall(text))

    def join(self, text: str) -> str:
        """The text with each divided word in one piece."""
        return _DIVIDED.sub(self._choose, text).replace(HYPHEN, "-") if HYPHEN in text else text

    def _choose(self, found: "re.Match[str]") -> str:
        first, second = found.groups()
        if not first or not second:
            return f"{first}-{second}"
        whole, compound = f"{first}{second}", f"{first}-{second}"
        if whole.lower() in self._words:
            return whole
        return compound if compound.lower() in self._words or not second[0].islower() else whole
