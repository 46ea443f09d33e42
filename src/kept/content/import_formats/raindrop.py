"""Raindrop's CSV. Nested folders are written `a/b` or `a / b`, `Unsorted` is none; highlights are one text."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.reader import FileReader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.content.import_formats.values import is_true, parse_moment, path_of, split_tags
from kept.domain.imported import Highlight, ImportedEntry, ImportedLink

COLUMNS: Final = frozenset({"url", "title", "note", "excerpt", "tags", "created", "favorite"})


def recognises(file: UploadedFile) -> bool:
    return file.columns >= COLUMNS


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    folder = row.get("folder", "")
    return ImportedLink(
        url=row.get("url", ""),
        title=row.get("title"),
        excerpt=row.get("excerpt"),
        note=row.get("note"),
        tags=split_tags(row.get("tags", ""), ","),
        folders=() if folder.strip().lower() in {"unsorted", ""} else path_of(folder),
        added_at=parse_moment(row.get("created")),
        is_favourite=is_true(row.get("favorite")),
        highlights=tuple(read_highlights(row.get("highlights", ""))),
    )


def read_highlights(text: str) -> Iterator[Highlight]:
    for part in text.split("Highlight:")[1:]:
        quote, _, note = part.partition("Note:")
        if quote.strip():
            yield Highlight(quote.strip(), note.strip() or None)


READER: Final = FileReader("raindrop", "Raindrop.io", recognises, read)
