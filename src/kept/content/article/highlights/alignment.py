"""Which passages of two texts are the same, and following a place from one copy of an article to another."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from kept.content.article.highlights.anchoring import TextIndex
from kept.content.article.highlights.folded_text import FoldedText
from kept.domain.highlight import Span

# A run of letters that each copy has once is the same passage in both.
_GRAM: Final = 10
# The least letters in a row that are alike, with such a run among them: fewer may be alike by chance.
_SHORTEST: Final = 14
# Two words may begin or end with the same few letters.
_CHANCE: Final = 2
# The most text between two known places in which a passage is looked for.
_LONGEST_GAP: Final = 400
_SHORTEST_IN_GAP: Final = 8
# The share of the old and of the new passage that must be the same, if there are other words in it.
_LEAST_SAME: Final = 0.7
# Each letter takes some 250 bytes while the copies are compared.
MAX_LETTERS: Final = 200_000


class Block(NamedTuple):
    """Letters `start` to `end` of the old copy, which are `shift` letters further on in the new one."""

    start: int
    end: int
    shift: int

    @property
    def new_start(self) -> int:
        return self.start + self.shift

    @property
    def new_end(self) -> int:
        return self.end + self.shift


@dataclass(frozen=True, slots=True)
class Alignment:
    """The parts of an article's old copy that are in its new one, for highlights that follow the page.

    Pure, and linear in the two texts. A quote alone cannot tell a passage from another that says the same; the text of
    the old copy can. Both are folded before, by `anchoring`.
    """

    old: str
    new: str
    blocks: list[Block]
    """The blocks, in the order of the old copy; no two have a letter in common, in neither copy."""
    alike: list[tuple[int, int]]
    """Lines of the old copy that equal the line before or after them: nobody can tell which of them moved."""

    @classmethod
    def of(cls, old: str, new: str, line_starts: list[int]) -> "Alignment":
        """Align two copies; `line_starts` are the offsets at which the lines of the old copy begin."""
        found = _find_blocks(_Texts(old, new, _find_unique(old), _find_unique(new), [*line_starts, len(old)]))
        long_enough = [block for block in found if block.end - block.start >= _SHORTEST]
        return cls(old, new, _without_disputed(long_enough), list(_find_alike(old, [*line_starts, len(old)])))

    def follow(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a part of the old copy is in the new one; None if that is not certain."""
        first, last = self._find_block(start), self._find_block(end - 1)
        if self._count_alike(start, end) > (end - start) // 2:
            return None
        if first is None and last is None:
            return self._find_in_gap(start, end)
        if first is None or last is None or first.end - start <= _CHANCE or end - last.start <= _CHANCE:
            return None
        if first is not last and not self._is_mostly_same(start, end, first, last):
            return None
        return start + first.shift, end + last.shift

    def _is_mostly_same(self, start: int, end: int, first: Block, last: Block) -> bool:
        """Return whether the text between two places of the new copy comes from between them in the old one."""
        new_start, new_end = start + first.shift, end + last.shift
        within = self.blocks[self.blocks.index(first) : self.blocks.index(last) + 1]
        same = sum(
            min(block.end, end) - max(block.start, start)
            for block in within
            if new_start <= max(block.start, start) + block.shift and min(block.end, end) + block.shift <= new_end
        )
        return new_start < new_end and same >= _LEAST_SAME * max(end - start, new_end - new_start)

    def _count_alike(self, start: int, end: int) -> int:
        index = bisect_right(self.alike, start, key=itemgetter(1))
        letters = 0
        while index < len(self.alike) and self.alike[index][0] < end:
            letters += min(self.alike[index][1], end) - max(self.alike[index][0], start)
            index += 1
        return letters

    def _find_block(self, place: int) -> Block | None:
        index = bisect_right(self.blocks, place, key=attrgetter("start")) - 1
        return self.blocks[index] if index >= 0 and place < self.blocks[index].end else None

    def _find_in_gap(self, start: int, end: int) -> tuple[int, int] | None:
        """Find a part between two blocks that follow one another in both copies, if it is there exactly once."""
        index = bisect_right(self.blocks, start, key=attrgetter("start"))
        if not 0 < index < len(self.blocks) or end > self.blocks[index].start:
            return None
        before, after = self.blocks[index - 1], self.blocks[index]
        words = self.old[start:end]
        old_gap, new_gap = self.old[before.end : after.start], self.new[before.new_end : max(0, after.new_start)]
        is_gap = 0 < len(new_gap) <= _LONGEST_GAP and len(old_gap) <= _LONGEST_GAP
        if not is_gap or len(words) < _SHORTEST_IN_GAP or old_gap.count(words) != 1 or new_gap.count(words) != 1:
            return None
        found = before.new_end + new_gap.index(words)
        return found, found + len(words)


class _Texts(NamedTuple):
    """The two copies, the places of their runs of letters, and where the lines of the old one begin and end."""

    old: str
    new: str
    old_places: dict[str, int]
    new_places: dict[str, int]
    line_ends: list[int]

    def find_shift(self, place: int) -> int | None:
        """Return how much further on the run at this place is, if each copy has it once. A run that crosses the end of
        a line tells nothing: another line that says the same may be there now."""
        gram = self.old[place : place + _GRAM]
        found = self.new_places.get(gram, -1)
        is_whole = found >= 0 and self.old_places[gram] >= 0 and place + _GRAM <= self.find_line(place)[1]
        return found - place if is_whole else None

    def find_line(self, place: int) -> tuple[int, int]:
        index = bisect_right(self.line_ends, place)
        return self.line_ends[index - 1], self.line_ends[index]


@dataclass(frozen=True)
class Copies:
    """Two copies of an article's text, prepared to follow many passages from the old one to the new one."""

    old: TextIndex
    new: TextIndex

    @property
    def can_be_compared(self) -> bool:
        return max(len(self.old.letters.text), len(self.new.letters.text)) <= MAX_LETTERS

    def follow(self, span: Span) -> Span | None:
        """Return a span's place in the new copy; None if it is not certain."""
        letters = self.old.letters
        start, end = letters.fold(span.start), letters.fold(span.end)
        found = self._alignment.follow(start, end) if start < end else None
        return self.new.unfold(self.new.letters, self.old.text[span.start : span.end], *found) if found else None

    @cached_property
    def _alignment(self) -> Alignment:
        old, new = self.old.letters, self.new.letters
        return Alignment.of(old.text, new.text, _find_line_starts(self.old.text, old))


def _find_alike(text: str, line_ends: list[int]) -> Iterator[tuple[int, int]]:
    lines = list(pairwise(line_ends))
    said = [text[start:end] for start, end in lines]
    for index, line in enumerate(said):
        if line in (*said[max(0, index - 1) : index], *said[index + 1 : index + 2]):
            yield lines[index]


def _find_blocks(texts: _Texts) -> Iterator[Block]:
    place, free_from = 0, 0
    while place + _GRAM <= len(texts.old):
        shift = texts.find_shift(place)
        if shift is None:
            place += 1
            continue
        block = _extend(texts, place, shift, free_from)
        yield _cut_to_lines(texts, block, place)
        place = free_from = block.end


def _extend(texts: _Texts, place: int, shift: int, free_from: int) -> Block:
    """Extend a block as long as the letters of both copies are alike."""
    old, new, start, end = texts.old, texts.new, place, place + _GRAM
    while start > free_from and start + shift > 0 and old[start - 1] == new[start + shift - 1]:
        start -= 1
    while end < len(old) and end + shift < len(new) and old[end] == new[end + shift]:
        end += 1
    return Block(start, end, shift)


def _cut_to_lines(texts: _Texts, block: Block, first: int) -> Block:
    """Cut a block to its lines from the first to the last with a unique run, and to the ends that both copies share."""
    places = range(block.end - _GRAM, first, -1)
    last = next((place for place in places if texts.find_shift(place) == block.shift), first)
    start, end = texts.find_line(first)[0], texts.find_line(last)[1]
    start = 0 if block.start == block.new_start == 0 else start
    end = block.end if (block.end, block.new_end) == (len(texts.old), len(texts.new)) else end
    return Block(max(block.start, start), min(block.end, end), block.shift)


def _find_unique(text: str) -> dict[str, int]:
    """Return the place of each run of letters; -1 if the text has it twice."""
    places: dict[str, int] = {}
    for place in range(len(text) - _GRAM + 1):
        gram = text[place : place + _GRAM]
        places[gram] = -1 if gram in places else place
    return places


def _without_disputed(blocks: list[Block]) -> list[Block]:
    """Remove what two blocks claim in the new copy: it belongs to one of them, and nothing tells to which."""
    kept: list[Block] = []
    for block in sorted(blocks, key=attrgetter("new_start")):
        common = kept[-1].new_end - block.new_start if kept else 0
        if common > 0:
            last = kept[-1]
            kept[-1] = last._replace(end=max(last.start, last.end - common))
            block = block._replace(start=min(block.end, block.start + common))
        kept.append(block)
    return sorted(block for block in kept if block.start < block.end)


def _find_line_starts(text: str, letters: FoldedText) -> list[int]:
    breaks = (place for place, letter in enumerate(text) if letter == "\n")
    return sorted({0, *(letters.fold(place + 1) for place in breaks)})
