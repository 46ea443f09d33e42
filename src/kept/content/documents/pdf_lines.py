"""The words of a PDF's page and the lines they stand in, as PDFium's text page gives them: in the order of the file.

A line here is a piece of one: it ends where a wide gap is, which may be the space between two columns
(`pdf_columns` puts them in order, `pdf_paragraphs` joins them).
"""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage, PdfTextPage

from kept.content.documents.scripts import is_cjk, is_rtl
from kept.domain.text import normalise

# What a hyphen at the end of a line becomes until all words of the document are known.
HYPHEN: Final = "\x02"
# A page of a telephone directory has 20,000 characters.
MAX_PAGE_CHARACTERS: Final = 200_000
# A share of a line's height: a wider space is not one between words. Those of narrow justified columns reach 0.8.
WIDE_GAP: Final = 0.9
# So that adding a word to a line stays cheap.
MAX_LINE_CHARACTERS: Final = 5_000
# Files may place their words anywhere; no page is larger than this.
FARTHEST: Final = 100_000.0
LARGEST_FONT: Final = 10_000.0
# The share of a line's height that is below the line its letters stand on.
BELOW: Final = 0.2
# How far text may rise on its way, as that of scanned pages does, and still run from left to right.
SLANTED: Final = 0.1

_WORD: Final = re.compile(r"[^\s\x02\ufffe]++[\x02\ufffe]?+")
_CONTROLS: Final = re.compile("[\x00-\x01\x03-\x1f\x7f-\x9f\u200b\u2060\ufeff\ufffe\uffff]")
# Latin and Armenian ligatures, Hebrew and Arabic letters in one of their shapes.
_SHAPES: Final = re.compile("[\ufb00-\ufdff\ufe70-\ufefc]++")
# Lam and alef in one shape, the wrong way round.
_TURNED_LIGATURES: Final = frozenset({"\u0627\u0644", "\u0623\u0644", "\u0625\u0644", "\u0622\u0644"})
# What stands after a word where it belongs.
_NOT_TURNED: Final = "\u060c\u061b\u061f.,:;!?)]»\"'…"
_LINE_END_HYPHENS: Final = ("-", "\u2010", "\xad")
# Bullets of Symbol and Wingdings, which have no other name.
_BULLETS: Final = dict.fromkeys(map(ord, "\uf0b7\uf0a7\uf0a8\uf076\uf0d8\uf0fc\x7f"), "•")


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


@dataclass(slots=True)
class Line:
    """A piece of a line. Where text runs from right to left, x counts from the right (`mirror`)."""

    text: str
    """The text, which ends with `HYPHEN` where the word may continue in the next line."""
    left: float
    bottom: float
    right: float
    top: float
    first_width: float
    """The width of its first word."""
    words: int = 1

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def width(self) -> float:
        return self.right - self.left

    def is_beside(self, other: "Line") -> bool:
        """Return whether both are in one row."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.height, other.height)

    def is_above_or_below(self, other: "Line") -> bool:
        return min(self.right, other.right) > max(self.left, other.left)

    def mirror(self) -> None:
        self.left, self.right = -self.right, -self.left


def read_lines(page: PdfPage, text_page: PdfTextPage) -> list[Line]:
    """Read the page's lines, in the order in which the file has them."""
    lines: list[Line] = []
    for word, box in _read_words(page, text_page):
        if lines and _belongs(lines[-1], box):
            _append(lines[-1], word, box)
        else:
            lines.append(Line(word, *box, first_width=box.right - box.left))
    for line in lines:
        line.text = _clean(line.text)
    return [line for line in lines if line.text]


def find_edges(page: PdfPage) -> tuple[float, float]:
    """Return the bottom and the top of the page as it is shown."""
    box = _rotate(Box(*page.get_bbox()), page.get_rotation())
    return box.bottom, box.top


def _read_words(page: PdfPage, text_page: PdfTextPage) -> Iterator[tuple[str, Box]]:
    boxes = _Boxes(page, text_page)
    for found in _WORD.finditer(_read_text(text_page)):
        boxes.take_size(found.start())
        first, last = boxes.find(found.start()), boxes.find(found.end() - 1)
        if first is None or last is None:
            continue
        if min(first.top, last.top) <= max(first.bottom, last.bottom):
            yield from _split(found, boxes)
        else:
            yield _turn(found, boxes), _join(first, last)


def _turn(match: "re.Match[str]", boxes: "_Boxes") -> str:
    """Reverse a word of Arabic that PDFium returns from left to right: its first letter is then the leftmost."""
    word = match[0]
    if word.isascii() or not is_rtl(word[0]):
        return word
    letters = len(word.rstrip(_NOT_TURNED))
    first, last = boxes.find(match.start()), boxes.find(match.start() + letters - 1)
    is_ligature = letters == 2 and word[:2] in _TURNED_LIGATURES
    is_turned = first is not None and last is not None and first.right < last.right
    return word[:letters][::-1] + word[letters:] if is_turned or is_ligature else word


def _split(match: "re.Match[str]", boxes: "_Boxes") -> Iterator[tuple[str, Box]]:
    """Split a word that continues in another line, as in Chinese, row by row."""
    text, row = "", None
    for place, letter in enumerate(match[0], match.start()):
        box = boxes.find(place)
        if box is None:
            continue
        if row is not None and min(row.top, box.top) <= max(row.bottom, box.bottom):
            yield text, row
            text, row = "", None
        text, row = text + letter, box if row is None else _join(row, box)
    if row is not None:
        yield text, row


def _read_text(text_page: PdfTextPage) -> str:
    """Read as many characters as PDFium counts, so that each has the number by which PDFium finds its box."""
    count = min(text_page.count_chars(), MAX_PAGE_CHARACTERS)
    try:
        text: str = text_page.get_text_range(0, count) if count > 0 else ""
    except RecursionError:  # pypdfium2 skips characters without a text one by one
        text = ""
    if len(text) == count:
        return text
    return "".join(_read_character(text_page, place) for place in range(count))


def _read_character(text_page: PdfTextPage, place: int) -> str:
    code = pdfium.FPDFText_GetUnicode(text_page.raw, place)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " "


class _Boxes:
    """The boxes of characters on the page as it is shown.

    Boxes reach from below the line to above it, as high as the font is large: what PDFium calls the box of a character
    is for some fonts that of its shape, which is different for each letter.
    """

    def __init__(self, page: PdfPage, text_page: PdfTextPage) -> None:
        self._raw: Final[Any] = text_page.raw
        self._rotation: Final[int] = page.get_rotation()
        self._found: Final = pdfium.FS_RECTF()
        self._matrix: Final = pdfium.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._size = 0.0
        """0 where text does not run from left to right in a line: then PDFium's own boxes are used."""

    def take_size(self, place: int) -> None:
        """Take the font size of the word that begins there."""
        self._size = 0.0
        if self._rotation or not pdfium.FPDFText_GetMatrix(self._raw, place, self._matrix):
            return
        if abs(self._matrix.b) <= SLANTED * abs(self._matrix.a):
            self._size = abs(pdfium.FPDFText_GetFontSize(self._raw, place) * self._matrix.d)

    def find(self, place: int) -> Box | None:
        found = self._found
        if not pdfium.FPDFText_GetLooseCharBox(self._raw, place, found):
            return None
        box = Box(found.left, found.bottom, found.right, found.top)
        if 0 < self._size < LARGEST_FONT and pdfium.FPDFText_GetCharOrigin(self._raw, place, self._x, self._y):
            base = self._y.value
            box = Box(box.left, base - BELOW * self._size, box.right, base + (1 - BELOW) * self._size)
        # also false for what is no number
        if not (-FARTHEST < box.left <= box.right < FARTHEST and -FARTHEST < box.bottom < box.top < FARTHEST):
            return None
        return _rotate(box, self._rotation)


def _rotate(box: Box, degrees: int) -> Box:
    if not degrees:
        return box
    left, bottom, right, top = box
    if degrees == 90:
        return Box(bottom, -right, top, -left)
    return Box(-right, -top, -left, -bottom) if degrees == 180 else Box(-top, left, -bottom, right)


def _join(first: Box, last: Box) -> Box:
    return Box(
        min(first.left, last.left),
        min(first.bottom, last.bottom),
        max(first.right, last.right),
        max(first.top, last.top),
    )


def _belongs(line: Line, box: Box) -> bool:
    """Return whether the word is beside the line's end, whichever way the text runs."""
    height = min(line.top - line.bottom, box.top - box.bottom)
    if min(line.top, box.top) - max(line.bottom, box.bottom) <= 0.5 * height or len(line.text) > MAX_LINE_CHARACTERS:
        return False
    gap = max(box.left - line.right, line.left - box.right)
    return gap < WIDE_GAP * (line.top - line.bottom)


def _append(line: Line, word: str, box: Box) -> None:
    gap = max(box.left - line.right, line.left - box.right)
    is_one_word = is_cjk(line.text[-1]) and is_cjk(word[0]) and gap < 0.5 * line.height
    line.text += word if is_one_word else f" {word}"
    line.left, line.right = min(line.left, box.left), max(line.right, box.right)
    # A raised figure or a first letter three lines high leaves the line as high as its first word.
    line.words += not is_one_word


def _clean(text: str) -> str:
    text = text.replace("\ufffe", HYPHEN)
    if not text.isascii():
        text = _SHAPES.sub(lambda found: normalise(found[0], "NFKC"), text.translate(_BULLETS))
    text = _CONTROLS.sub("", text)
    if text.endswith(_LINE_END_HYPHENS) and text[-2:-1].isalpha():
        text = text[:-1] + HYPHEN
    return text.replace("\xad", "").strip(" ")
