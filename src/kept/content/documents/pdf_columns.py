"""The order in which a page's lines are read, where it is not the order in which the file has them.

Most programs write a page as it is read, column by column. Some write row by row, across all columns, or in no order.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Final

from kept.content.documents.pdf_lines import Line
from kept.content.documents.scripts import is_cjk

# A page with more pieces is a drawing or an attack, and stays as the file has it.
MAX_LINES: Final = 4_000
MAX_COLUMNS_DEPTH: Final = 3
# Shares of a page's lines: at least so many begin where a column begins, at most so many reach over two.
ALIGNED: Final = 0.05
ACROSS: Final = 0.4
# Lines of a text have several words and are about equally long; cells of a table are not.
LEAST_LETTERS: Final = 20
LEAST_FILLED: Final = 0.55
FEWEST_ROWS: Final = 4
# The share of changes between columns, compared with a file in rows; one in reading order has few.
MOST_STEPS: Final = 0.5
# The share of steps upwards within a column.
MOST_UPWARDS: Final = 0.3
_GRID: Final = 2.0


def order_lines(lines: list[Line]) -> list[Line]:
    """Return the lines as they are read, from the left column to the right one."""
    if not FEWEST_ROWS <= len(lines) <= MAX_LINES:
        return lines
    gutter = _find_gutter(lines)
    if gutter is not None and _steps(lines, gutter) > MOST_STEPS:
        return _read_columns(lines, MAX_COLUMNS_DEPTH)
    return _read_columns(lines, MAX_COLUMNS_DEPTH) if _upwards(lines) > MOST_UPWARDS else lines


def _find_gutter(lines: Sequence[Line]) -> float | None:
    """Return where the second column begins; None where all is one column."""
    starts = Counter(round(line.left / _GRID) for line in lines)
    leftmost = min(line.left for line in lines)
    frequent = [
        start * _GRID
        for start, count in starts.most_common(8)
        if count + starts[start - 1] + starts[start + 1] >= max(FEWEST_ROWS, ALIGNED * len(lines))
    ]
    candidates = [start - _GRID for start in frequent if start - _GRID > leftmost + 2 * lines[0].height]
    good = [(len(_split(lines, x)[2]), x) for x in candidates if _is_gutter(lines, x)]
    return min(good)[1] if good else None


def _split(lines: Sequence[Line], x: float) -> tuple[list[Line], list[Line], list[Line]]:
    """Return the lines on the left, on the right, and across both sides."""
    left = [line for line in lines if line.right <= x + _GRID]
    right = [line for line in lines if line.left >= x - _GRID and line.right > x + _GRID]
    across = [line for line in lines if line.right > x + _GRID and line.left < x - _GRID]
    return left, right, across


def _is_gutter(lines: Sequence[Line], x: float) -> bool:
    left, right, across = _split(lines, x)
    if min(len(left), len(right)) < FEWEST_ROWS or len(across) > ACROSS * len(lines):
        return False
    return _is_prose(left) and _is_prose(right)


def _is_prose(column: Sequence[Line]) -> bool:
    width = max(line.width for line in column)
    letters = sum(len(line.text) * (2 if is_cjk(line.text[0]) else 1) for line in column)
    return letters >= LEAST_LETTERS * len(column) and sum(line.width for line in column) >= LEAST_FILLED * width * len(
        column
    )


def _steps(lines: Sequence[Line], x: float) -> float:
    """Return how often the file changes columns; 1 where it does so for each row."""
    sides = [line.right <= x + _GRID for line in lines if line.right <= x + _GRID or line.left >= x - _GRID]
    changes = sum(one != other for one, other in itertools.pairwise(sides))
    return changes / max(1, 2 * min(sum(sides), len(sides) - sum(sides)))


def _upwards(lines: Sequence[Line]) -> float:
    """Return how often the next line is above the one before, as a share of all."""
    pairs = itertools.pairwise(lines)
    count = sum(after.bottom > before.top and after.is_above_or_below(before) for before, after in pairs)
    return count / max(1, len(lines) - 1)


def _read_columns(lines: list[Line], depth: int) -> list[Line]:
    """Read column by column; a line across both columns ends what is above it."""
    gutter = _find_gutter(lines) if depth and len(lines) >= FEWEST_ROWS else None
    if gutter is None:
        return _read_rows(lines)
    ordered: list[Line] = []
    band: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.top):
        if line.right > gutter + _GRID and line.left < gutter - _GRID:
            ordered += [*_read_band(band, gutter, depth), line]
            band = []
        else:
            band.append(line)
    return ordered + _read_band(band, gutter, depth)


def _read_band(band: list[Line], gutter: float, depth: int) -> list[Line]:
    left, right, _ = _split(band, gutter)
    return _read_columns(left, depth - 1) + _read_columns(right, depth - 1)


def _read_rows(lines: list[Line]) -> list[Line]:
    """Sort lines from top to bottom, and in a row from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -line.top):
        if rows and rows[-1][0].is_beside(line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]
