"""The rows of a CSV file by the lower-case names of their columns."""

import csv
from collections.abc import Callable, Iterator
from typing import TextIO

from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.imported import ImportedEntry, Rejected

Row = dict[str, str]

TOO_LARGE = "This row cannot be read: a field in it is too large, or not closed."


def read_rows(text: TextIO, delimiter: str = ",") -> Iterator[Row | Rejected]:
    """Blank lines are no rows. A row that is too short has empty cells, one that is too long loses what has no name."""
    rows = csv.reader(lines_without_nul(text), delimiter=delimiter)
    header: list[str] | None = None
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield Rejected(TOO_LARGE)
            continue
        if header is None:
            header = [cell.strip().lstrip("\ufeff").lower() for cell in cells]
        elif any(cells):
            padded = cells + [""] * (len(header) - len(cells))
            yield dict(zip(header, padded, strict=False))


def lines_without_nul(text: TextIO) -> Iterator[str]:
    return (line.replace("\x00", "") for line in text)


def read_csv(file: UploadedFile, read_row: Callable[[Row], ImportedEntry]) -> Iterator[ImportedEntry]:
    for row in read_rows(file.text(), file.delimiter):
        yield row if isinstance(row, Rejected) else read_row(row)
