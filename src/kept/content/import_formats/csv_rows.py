"""The rows of a CSV file by the lower-case names of their columns."""

import csv
from collections.abc import Callable, Iterator
from typing import Final, TextIO

from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, parse_json_list, parse_moment, path_of, split_tags
from kept.domain.imported import ImportedEntry, ImportedLink, Rejected

Row = dict[str, str]
TOO_LARGE = "This row cannot be read: a field in it is too large, or not closed."
URL: Final = ("url", "link", "href", "uri", "address")
TITLE: Final = ("title", "name")
EXCERPT: Final = ("excerpt", "description", "summary")
NOTE: Final = ("note", "notes", "comment")
TAGS: Final = ("tags", "labels", "keywords")
FOLDER: Final = ("folder", "collection", "list")
MOMENT: Final = ("created", "created_at", "added_at", "date", "time_added", "timestamp", "saved_at", "add_date")


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_csv(file, read_row)


def recognises(file: UploadedFile) -> bool:
    """Recognise any other CSV file that has a column of URLs; the names of the other columns tell what they are."""
    return not file.is_markup and not file.is_json and bool(file.columns.intersection(URL))


READER: Final = FileReader("csv", "CSV with a column of URLs", recognises, read)


def read_rows(text: TextIO, delimiter: str = ",") -> Iterator[Row | Rejected]:
    """Yield the rows but blank lines. A short row gets empty cells; a long one loses the cells without a name."""
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


def read_row(row: Row) -> ImportedEntry:
    return ImportedLink(
        url=first_of(row, URL),
        title=first_of(row, TITLE),
        excerpt=first_of(row, EXCERPT),
        note=first_of(row, NOTE),
        tags=read_tags(first_of(row, TAGS)),
        folders=path_of(first_of(row, FOLDER)),
        added_at=parse_moment(first_of(row, MOMENT)),
        is_read=is_true(first_of(row, ("is_read", "read"))),
        is_favourite=is_true(first_of(row, ("is_favourite", "is_favorite", "favourite", "favorite", "starred"))),
        is_archived=is_true(first_of(row, ("is_archived", "archived"))),
    )


def first_of(row: Row, names: tuple[str, ...]) -> str:
    return next((row[name] for name in names if row.get(name)), "")


def read_tags(text: str) -> tuple[str, ...]:
    listed = parse_json_list(text) if text.startswith("[") else None
    if listed is not None:
        return listed
    separator = next((mark for mark in ("|", ";") if mark in text), ",")
    return split_tags(text, separator)
