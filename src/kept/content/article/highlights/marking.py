"""Highlights written into an article's markup as `<mark>` elements, for whoever shows it. The stored article has none.

Only text and whole formulas are wrapped: a highlight across elements is one `<mark>` in each text node it touches, and
one around each formula, for nothing but MathML may stand in a formula. So no markup can break, and without the marks
it is byte for byte what it was.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kept.content.article.highlights.text_map import TextMap, map_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Mark

# People mark one place two or three times; more layers could not be told apart.
MAX_LAYERS: Final = 8
# Ten for each of 5,000 highlights: 5 MB. Without a limit, highlights over one another could make a page of gigabytes.
MAX_PIECES: Final = 50_000
# The longest articles have 30,000 tags. Mapping ten megabytes of nothing but tags would take seconds for every reader.
MAX_TAGS: Final = 300_000
_FORMULA_ENDS: Final = "</math>"


class _Piece(NamedTuple):
    """The part of a highlight in one text node, as offsets into the markup."""

    start: int
    end: int
    number: int
    """The number of its mark."""


def mark_highlights(html: SafeHtml, marks: Sequence[Mark]) -> SafeHtml:
    """Mark highlights in an article.

    Where highlights overlap, their marks are nested, at most `MAX_LAYERS` deep; beyond that, an empty mark shows the
    place. A highlight whose span is not in the text, or is white space alone, is not marked; nor is any in an article
    with more than `MAX_TAGS` tags.
    """
    if not marks or str(html).count("<") > MAX_TAGS:
        return html
    formulas = _Formulas(str(html))
    pieces = sorted(_cut(map_text(html), marks, formulas), key=_outermost_first)
    marked = SafeHtml.admit_marked(_write(str(html), pieces, marks))
    if marked is None:
        raise RuntimeError("marks were written that are not of the language of marked articles")
    return marked


def _outermost_first(piece: _Piece) -> tuple[int, int]:
    return piece.start, -piece.end


class _Formulas:
    """The places of formulas in the markup."""

    def __init__(self, html: str) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        start = html.find("<math")
        while start >= 0:
            end = html.find(_FORMULA_ENDS, start) + len(_FORMULA_ENDS)
            self._starts.append(start)
            self._ends.append(end)
            start = html.find("<math", end)

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """Widen a part of a formula to the whole of it."""
        index = bisect_right(self._starts, start) - 1
        inside = index >= 0 and start < self._ends[index]
        return (self._starts[index], self._ends[index]) if inside else (start, end)


def _cut(text_map: TextMap, marks: Sequence[Mark], formulas: _Formulas) -> Iterator[_Piece]:
    """Yield each highlight's pieces, until there are too many."""
    left = MAX_PIECES
    for number, mark in enumerate(marks):
        span = text_map.trim(mark.span)
        found = (formulas.widen(*markup) for markup in text_map.markup_of(span)) if span else ()
        for markup in dict.fromkeys(found):
            yield _Piece(*markup, number)
            left -= 1
            if not left:
                return


def _write(html: str, pieces: Sequence[_Piece], marks: Sequence[Mark]) -> str:
    writer = _Writer(html, [f'h-{mark.id}" data-highlight="{mark.id}" {_describe(mark)}>' for mark in marks])
    for piece in pieces:
        writer.close_until(piece.start)
        writer.copy_until(piece.start)
        if len(writer.open) < MAX_LAYERS:
            writer.open_mark(piece)
        else:
            writer.put_anchor(piece)
    writer.close_until(len(html))
    writer.copy_until(len(html))
    return "".join(writer.out)


def _describe(mark: Mark) -> str:
    return f'class="h-{mark.colour}"' + (' data-note=""' if mark.has_note else "")


@dataclass(slots=True)
class _Writer:
    html: str
    tags: list[str]
    """The rest of each mark's first tag, after `<mark id="`."""
    out: list[str] = field(default_factory=list)
    open: list[_Piece] = field(default_factory=list)
    copied: int = 0
    begun: set[int] = field(default_factory=set)

    def copy_until(self, place: int) -> None:
        self.out.append(self.html[self.copied : place])
        self.copied = place

    def put_anchor(self, piece: _Piece) -> None:
        """Write an empty mark for a highlight that is not shown here, so that its entry in the list leads somewhere."""
        if piece.number not in self.begun:
            self.open_mark(piece)
            self.open.pop()
            self.out.append("</mark>")

    def open_mark(self, piece: _Piece) -> None:
        """Open a mark; the first of a highlight's marks has its id."""
        tag = self.tags[piece.number]
        if piece.number not in self.begun:
            self.begun.add(piece.number)
            self.out.append(f'<mark id="{tag}')
        else:
            self.out.append(f"<mark {tag.partition(' ')[2]}")
        self.open.append(piece)

    def close_until(self, place: int) -> None:
        """Close each mark where it ends. Those that were opened within it and continue are opened again after it."""
        while self.open and (end := min(piece.end for piece in self.open)) <= place:
            self.copy_until(end)
            outermost = next(index for index, piece in enumerate(self.open) if piece.end == end)
            inner = self.open[outermost:]
            del self.open[outermost:]
            self.out.append("</mark>" * len(inner))
            for piece in inner:
                if piece.end > end:
                    self.open_mark(piece)
