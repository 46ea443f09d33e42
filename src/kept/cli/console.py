"""Standard output: as wide as the terminal; in a pipe or a file nothing is cut or wrapped.

rich lays out what a terminal shows: 35 ms of a short command. Pipes and files get the same lines without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

UNLIMITED: Final = 10_000
# Whoever sets one of them tells rich what the output is.
TERMINAL_VARIABLES: Final = ("FORCE_COLOR", "TTY_COMPATIBLE")


class Styled(NamedTuple):
    text: str
    style: str
    """As rich spells it."""


Cell = str | Styled
Row = Sequence[Cell]


def make_console() -> Console:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = UNLIMITED
    return console


def print_line(*pieces: Cell) -> None:
    line = "".join(text_of(piece) for piece in pieces)
    if is_plain([line]):
        print(line, flush=True)
        return
    from rich.text import Text

    make_console().print(Text.assemble(*pieces))


def print_table(titles: Sequence[str], rows: Sequence[Row], *, whole_column: int | None = None) -> None:
    """`whole_column` is the one whose cells are never broken into lines, for somebody to copy."""
    texts = [list(titles), *([text_of(cell) for cell in row] for row in rows)]
    if is_plain(["".join(row) for row in texts]):
        # In one piece, as rich does: a reader that stops early, as `head` does, is no failure then.
        print("".join(f"{line}\n" for line in lay_out(texts)), end="", flush=True)
    else:
        print_rich_table(titles, rows, whole_column)


def print_rich_table(titles: Sequence[str], rows: Sequence[Row], whole_column: int | None) -> None:
    from rich.table import Table

    table = Table(*titles, box=None)
    if whole_column is not None:
        table.columns[whole_column].no_wrap = True
    for row in rows:
        table.add_row(*(as_rich(cell) for cell in row))
    make_console().print(table)


def lay_out(rows: Sequence[Sequence[str]]) -> list[str]:
    """As rich does it: each cell between spaces, and as wide as the widest in its column."""
    widths = [max(map(measure, column)) for column in zip(*rows, strict=True)]
    return [
        "".join(f" {cell}{' ' * (width - measure(cell))} " for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]


def measure(text: str) -> int:
    """How many columns of a terminal it takes: some characters take two, some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def is_plain(lines: Sequence[str]) -> bool:
    """Whether they are printed as they are: not on a terminal, and without what rich would break or leave out."""
    if sys.stdout.isatty() or any(name in os.environ for name in TERMINAL_VARIABLES):
        return False
    return all(line.isprintable() and len(line) < UNLIMITED // 2 for line in lines)


def text_of(cell: Cell) -> str:
    return cell.text if isinstance(cell, Styled) else cell


def as_rich(cell: Cell) -> Text:
    from rich.text import Text

    return Text(cell.text, style=cell.style) if isinstance(cell, Styled) else Text(cell)
