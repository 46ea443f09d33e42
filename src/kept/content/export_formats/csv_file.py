"""A library as CSV, for spreadsheets: one line an item. Nothing in it is a formula, whatever people and pages wrote."""

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from kept.domain.item import Card
from kept.domain.library import Library

# Excel reads a file as UTF-8 only if it begins so.
BYTE_ORDER_MARK: Final = "\ufeff"
COLUMNS: Final = (
    *("url", "title", "excerpt", "note", "tags", "library", "added_at", "read_at", "is_favourite", "is_archived"),
    *("progress", "site", "author", "language", "published_at", "words", "status"),
)
# What a spreadsheet takes for the beginning of a formula, also in the width of Chinese and Japanese type.
FORMULA: Final = tuple("=+-@|%＝＋－＠｜％")


def write_heading() -> str:
    return BYTE_ORDER_MARK + write_lines([COLUMNS])


def write_rows(rows: Iterable[tuple[Library, Card]]) -> str:
    return write_lines(list_cells(library, card) for library, card in rows)


def list_cells(library: Library, card: Card) -> list[str]:
    item, media, reading = card.item, card.media, card.reading
    said = (item.url, card.title, card.excerpt, item.note, ", ".join(card.tags), library.name)
    state = (item.created_at, reading.read_at, reading.is_favourite, reading.is_archived, reading.progress)
    page = (media.site_name, media.byline, media.lang, media.published_at, media.word_count, media.processing_status)
    return [neutralise(spell(value)) for value in (*said, *state, *page)]


def spell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.isoformat(timespec="seconds")
        case _:
            return str(value)


def neutralise(cell: str) -> str:
    """Put a quote before a formula, also after white space, so that a spreadsheet takes the cell for text."""
    begins = cell.lstrip()
    is_formula = begins.startswith(FORMULA) or (cell != begins and cell[0] in "\t\r\n")
    return f"'{cell}" if is_formula else cell


def restore(cell: str) -> str:
    """Undo `neutralise`."""
    return cell[1:] if cell.startswith("'") and neutralise(cell[1:]) == cell else cell


def write_lines(rows: Iterable[Iterable[str]]) -> str:
    """Write every cell in quotes, because some spreadsheets split at semicolons."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    return out.getvalue().replace("\0", "")
