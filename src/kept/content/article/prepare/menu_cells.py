"""Removes menus that stand in a cell of the table that an old page is laid out by: nothing in a table is pruned."""

from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import LEAST_PROSE, remove_all
from kept.content.article.prune.tree import linked_length, text_of
from kept.content.article.walks import shallow

MOST_TABLES: Final = 30
MOST_ROWS: Final = 20
MOST_CELLS: Final = 8
FEWEST_LINKS: Final = 5
LEAST_LINKED: Final = 0.7
# Of the body's text: a cell with so much is where the page's text is, and the table is no data.
LEAST_SHARE: Final = 0.4


def remove_menu_cells(body: LexborNode) -> None:
    tables = shallow(body.css("table")[:MOST_TABLES])
    least = max(LEAST_PROSE, LEAST_SHARE * len(text_of(body))) if tables else 0
    remove_all(cell for table in tables for row in rows_of(table) for cell in menus_in(row, least))


def rows_of(table: LexborNode) -> list[LexborNode]:
    parts = [table, *(child for child in islice(table.iter(), MOST_ROWS) if child.tag in {"tbody", "thead"})]
    return [row for part in parts for row in islice(part.iter(), MOST_ROWS) if row.tag == "tr"]


def menus_in(row: LexborNode, least: float) -> list[LexborNode]:
    cells = list(islice(row.iter(), MOST_CELLS))
    if len(cells) < 2:
        return []
    lengths = [len(text_of(cell)) for cell in cells]
    if max(lengths) < least:
        return []
    return [
        cell for cell, length in zip(cells, lengths, strict=True) if length < max(lengths) and is_menu(cell, length)
    ]


def is_menu(cell: LexborNode, length: int) -> bool:
    return len(cell.css("a[href]")) >= FEWEST_LINKS and linked_length(cell) >= LEAST_LINKED * length
