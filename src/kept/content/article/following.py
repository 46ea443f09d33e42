"""Where a passage of a page's old copy is in its new one. For highlights whose old copy's text is known."""

from dataclasses import dataclass
from functools import cached_property

from kept.content.article.alignment import MAX_LETTERS, Alignment
from kept.content.article.anchoring import TextIndex
from kept.content.article.folded_text import FoldedText
from kept.domain.highlight import Span


@dataclass(frozen=True)
class Copies:
    """Two copies of an article's text, prepared for many passages."""

    old: TextIndex
    new: TextIndex

    @property
    def can_be_compared(self) -> bool:
        return max(len(self.old.letters.text), len(self.new.letters.text)) <= MAX_LETTERS

    def follow(self, span: Span) -> Span | None:
        """None if its place in the new copy is not certain."""
        letters = self.old.letters
        start, end = letters.fold(span.start), letters.fold(span.end)
        found = self._alignment.follow(start, end) if start < end else None
        return self.new.unfold(self.new.letters, self.old.text[span.start : span.end], *found) if found else None

    @cached_property
    def _alignment(self) -> Alignment:
        old, new = self.old.letters, self.new.letters
        return Alignment.of(old.text, new.text, _find_line_starts(self.old.text, old))


def _find_line_starts(text: str, letters: FoldedText) -> list[int]:
    breaks = (place for place, letter in enumerate(text) if letter == "\n")
    return sorted({0, *(letters.fold(place + 1) for place in breaks)})
