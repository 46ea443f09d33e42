"""Lines of a page joined to paragraphs and headings."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from kept.content.documents.pdf_lines import HYPHEN, Line
from kept.content.documents.scripts import is_cjk

# What ends a paragraph, as a share of a line's height, or of the usual distance of two lines.
LARGE_STEP: Final = 1.3
INDENT: Final = 0.7
OTHER_SIZE: Final = 0.12
# A share of the body's height; a longer text is no heading.
HEADING: Final = 1.2
MAIN_HEADING: Final = 1.5
MAX_HEADING: Final = 200
# How many lines before and after tell how wide the column is.
_NEAR: Final = 3
_ITEM: Final = re.compile(r"(?:[•‣◦▪●○■□–]|\d{1,3}[.)]|\([a-z0-9]{1,3}\))\s")
_SENTENCE_END: Final = (".", "!", "?", ":", "…", "。", "！", "？", "”", "»")
_WORDS: Final = re.compile(r"[^\W\d_]++(?:-[^\W\d_]++)*+")
_DIVIDED: Final = re.compile(rf"(?<![^\W\d_])([^\W\d_]*+){HYPHEN}([^\W\d_]*+)")
# Limits on what an endless text may cost.
MAX_WORDS: Final = 500_000
# A share of a page's height, from the top and from the bottom.
EDGE: Final = 0.12
# A share of all pages: books have one line on their left pages and another on the right ones.
MOST_PAGES: Final = 0.4
FEWEST_PAGES: Final = 3
MAX_CHARACTERS: Final = 20_000
MAX_LINES: Final = 500
_NUMBER: Final = re.compile(r"\d++|\b[ivxlc]++\b")
_GRID: Final = 3.0


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    """The text, in which a hyphen at a line's end is a `HYPHEN`."""
    height: float
    """The height of its first line."""


class Vocabulary:
    """The words of a document, in lower case, which tell whether a hyphen at a line's end belongs to a word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Final[set[str]] = set()
        for text in texts:
            if len(self._words) < MAX_WORDS:
                self._words.update(word.lower() for word in _WORDS.findall(text))

    def join(self, text: str) -> str:
        """Join each divided word of a text."""
        return _DIVIDED.sub(self._choose, text).replace(HYPHEN, "-") if HYPHEN in text else text

    def _choose(self, match: "re.Match[str]") -> str:
        first, second = match.groups()
        if not first or not second:
            return f"{first}-{second}"
        whole, compound = f"{first}{second}", f"{first}-{second}"
        if whole.lower() in self._words:
            return whole
        return compound if compound.lower() in self._words or not second[0].islower() else whole


@dataclass(frozen=True, slots=True)
class PageLines:
    """The lines of a page and its edges, to find headers and footers."""

    lines: list[Line]
    bottom: float
    top: float

    def is_at_edge(self, line: Line) -> bool:
        margin = EDGE * (self.top - self.bottom)
        return line.bottom > self.top - margin or line.top < self.bottom + margin


def usual_height(pages: Sequence[Sequence[Line]]) -> float:
    """Return the height of most of the document's letters."""
    heights: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            heights[round(line.height, 1)] += len(line.text)
    return heights.most_common(1)[0][0] if heights else 0.0


def join_lines(lines: Sequence[Line], body_height: float) -> list[Paragraph]:
    """Join lines, in the order they are read, to paragraphs."""
    usual_step = _usual_step(lines)
    paragraphs: list[Paragraph] = []
    texts: list[str] = []
    height = 0.0
    for place, line in enumerate(lines):
        if texts and _begins(lines, place, usual_step, body_height):
            paragraphs.append(Paragraph(_join_texts(texts), height))
            texts = []
        height = height if texts else line.height
        texts.append(line.text)
    return [*paragraphs, Paragraph(_join_texts(texts), height)] if texts else paragraphs


def heading_level(paragraph: Paragraph, body_height: float) -> int | None:
    """Return the heading level, 2 or 3; None for what is no heading."""
    if not body_height or len(paragraph.text) > MAX_HEADING or paragraph.height < HEADING * body_height:
        return None
    return 2 if paragraph.height >= MAIN_HEADING * body_height else 3


def _usual_step(lines: Sequence[Line]) -> float:
    pairs = itertools.pairwise(lines)
    steps = [before.bottom - after.bottom for before, after in pairs if _follows(before, after)]
    return median(steps) if steps else 0.0


def _follows(before: Line, after: Line) -> bool:
    """Return whether a line is right below another, and of about the same size."""
    return 0.5 * before.height < before.bottom - after.bottom < 2.5 * before.height and _is_same_size(before, after)


def _is_same_size(before: Line, after: Line) -> bool:
    return abs(before.height - after.height) <= OTHER_SIZE * max(before.height, after.height)


def _begins(lines: Sequence[Line], place: int, usual_step: float, body_height: float) -> bool:
    before, line = lines[place - 1], lines[place]
    if before.is_beside(line) and line.left > before.left:
        return False
    if not _is_same_size(before, line):
        return True
    step = before.bottom - line.bottom
    if step <= 0 or not before.is_above_or_below(line) or step > 4 * line.height:
        return not _goes_on(before, line)
    if step > max(LARGE_STEP * usual_step, 0.9 * line.height):
        return True
    if line.height >= HEADING * body_height:
        return False
    return _ITEM.match(line.text) is not None or _is_indented(lines, place) or _is_short(lines, place)


def _goes_on(before: Line, line: Line) -> bool:
    """Return whether a line continues a sentence."""
    return before.text.endswith(HYPHEN) or (line.text[0].islower() and not before.text.endswith(_SENTENCE_END))


def _is_indented(lines: Sequence[Line], place: int) -> bool:
    """Return whether a line is a first one: it begins further in than the line before and the line after."""
    before, line = lines[place - 1], lines[place]
    if line.left < before.left + INDENT * line.height:
        return False
    after = lines[place + 1] if place + 1 < len(lines) else None
    return after is None or not _follows(line, after) or after.left < line.left - INDENT * line.height


def _is_short(lines: Sequence[Line], place: int) -> bool:
    """Return whether the line before had room for the first word of this one."""
    before, line = lines[place - 1], lines[place]
    if _goes_on(before, line) or is_cjk(line.text[0]) != is_cjk(before.text[-1]):
        return False
    near = lines[max(0, place - _NEAR) : place + _NEAR]
    edge = max(other.right for other in near if other.is_above_or_below(line) and _is_same_size(other, line))
    first_width = 2 * line.height if is_cjk(line.text[0]) else line.first_width
    return before.right + first_width + 0.5 * line.height < edge


def _join_texts(texts: Sequence[str]) -> str:
    joined = texts[0]
    for text in texts[1:]:
        is_one_word = joined.endswith(HYPHEN) or (is_cjk(joined[-1]) and is_cjk(text[0]))
        joined += text if is_one_word else f" {text}"
    return joined


def take_out_running_heads(pages: Sequence[PageLines]) -> tuple[list[list[Line]], str]:
    """Return the lines of each page without repeated headers and footers, and those, each different line once."""
    keys = [{_key(line) for line in page.lines if page.is_at_edge(line)} for page in pages]
    counted = Counter(key for found in keys for key in found)
    least = max(FEWEST_PAGES, MOST_PAGES * len(pages))
    repeated = {key for key, count in counted.items() if count >= least}
    kept = [[line for line in page.lines if not _is_repeated(page, line, repeated)] for page in pages]
    taken = (line.text for page in pages for line in page.lines if _is_repeated(page, line, repeated))
    return kept, _write_once(taken)


def _is_repeated(page: PageLines, line: Line, repeated: set[tuple[str, int]]) -> bool:
    return bool(repeated) and page.is_at_edge(line) and _key(line) in repeated


def _key(line: Line) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text), round(line.bottom / _GRID)


def _write_once(texts: Iterator[str]) -> str:
    """Join different texts; those that are only page numbers are left out."""
    written: dict[str, str] = {}
    for text in texts:
        key = _NUMBER.sub("#", text)
        if key.strip("# -–—/|") and len(written) < MAX_LINES:
            written.setdefault(key, text)
    return "\n".join(written.values())[:MAX_CHARACTERS]
