"""Highlights written into an article's markup as `<mark>` elements, for whoever shows it. The stored article has none.

Only text is wrapped, never a tag: a highlight across elements is one `<mark>` in each text node it touches. So no
markup can break, and without the marks it is byte for byte what it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.article.text_map import TextMap, map_text
from kept.domain.highlight import Colour, Span

# People mark one place two or three times; what is marked more often is shown as far as the eye can tell it.
MAX_LAYERS: Final = 8
# Ten for each of 5,000 highlights: 5 MB. Without a limit, highlights over one another could make a page of gigabytes.
MAX_PIECES: Final = 50_000
# The longest articles have 30,000 tags. To map ten megabytes of nothing but tags would take seconds for every reader.
MAX_TAGS: Final = 300_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What a highlight shows of itself in the article."""

    id: UUID
    span: Span
    colour: Colour
    has_note: bool = False


class _Piece(NamedTuple):
    """The part of a highlight in one text node, as offsets into the markup."""

    start: int
    end: int
    mark: Mark


def mark_highlights(html: SafeHtml, marks: Sequence[Mark]) -> SafeHtml:
    """The article with its highlights marked.

    Where highlights overlap, their marks are nested, at most `MAX_LAYERS` deep. A highlight whose span is not in the
    text, or is white space alone, is not marked; nor is any in an article with more than `MAX_TAGS` tags.
    """
    if not marks or str(html).count("<") > MAX_TAGS:
        return html
    pieces = sorted(_cut(map_text(html), marks), key=_outermost_first)
    marked = SafeHtml.admit_marked(_write(str(html), pieces))
    if marked is None:
        raise RuntimeError("marks were written that are not of the language of marked articles")
    return marked


def _outermost_first(piece: _Piece) -> tuple[int, int]:
    return piece.start, -piece.end


def _cut(text_map: TextMap, marks: Sequence[Mark]) -> Iterator[_Piece]:
    """Each highlight's pieces, until there are too many."""
    left = MAX_PIECES
    for mark in marks:
        span = text_map.trim(mark.span)
        for markup in text_map.markup_of(span) if span else ():
            yield _Piece(*markup, mark)
            left -= 1
            if not left:
                return


def _write(html: str, pieces: Sequence[_Piece]) -> str:
    writer = _Writer(html)
    for piece in pieces:
        writer.close_until(piece.start)
        writer.copy_until(piece.start)
        if len(writer.open) < MAX_LAYERS:
            writer.open_mark(piece)
    writer.close_until(len(html))
    writer.copy_until(len(html))
    return "".join(writer.out)


@dataclass(slots=True)
class _Writer:
    html: str
    out: list[str] = field(default_factory=list)
    open: list[_Piece] = field(default_factory=list)
    copied: int = 0
    begun: set[UUID] = field(default_factory=set)

    def copy_until(self, place: int) -> None:
        self.out.append(self.html[self.copied : place])
        self.copied = place

    def open_mark(self, piece: _Piece) -> None:
        mark = piece.mark
        anchor = "" if mark.id in self.begun else f' id="h-{mark.id}"'
        note = ' data-note=""' if mark.has_note else ""
        self.out.append(f'<mark{anchor} data-highlight="{mark.id}" class="h-{mark.colour}"{note}>')
        self.begun.add(mark.id)
        self.open.append(piece)

    def close_until(self, place: int) -> None:
        """Close each mark where it ends. Those that were opened within it and go on are opened again after it."""
        while self.open and (end := min(piece.end for piece in self.open)) <= place:
            self.copy_until(end)
            outermost = next(index for index, piece in enumerate(self.open) if piece.end == end)
            inner = self.open[outermost:]
            del self.open[outermost:]
            self.out.append("</mark>" * len(inner))
            for piece in inner:
                if piece.end > end:
                    self.open_mark(piece)
