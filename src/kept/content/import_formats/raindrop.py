"""Raindrop's CSV. Nested folders are written `a/b` or `a / b`, `Unsorted` is none; highlights are one text, in which a
line that begins with `Highlight:`, `Note:` or `Color:` says what follows. Without such a line each line is one."""

import re
from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, parse_colour, parse_moment, path_of, split_tags
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink

LABEL: Final = re.compile(r"^(Highlight|Note|Color):", re.MULTILINE)
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


def read_highlights(text: str) -> Iterator[ImportedHighlight]:
    first, *parts = LABEL.split(text)
    if not parts:
        yield from (ImportedHighlight(line.strip()) for line in first.splitlines() if line.strip())
    said: dict[str, str] = {}
    for label, words in zip(parts[::2], parts[1::2], strict=True):
        if label == "Highlight":
            yield from describe(said)
            said = {}
        said[label] = words.strip()
    yield from describe(said)


def describe(said: dict[str, str]) -> Iterator[ImportedHighlight]:
    if said:
        note, colour = said.get("Note") or None, parse_colour(said.get("Color"))
        yield ImportedHighlight(said.get("Highlight", ""), note, colour=colour)


READER: Final = FileReader("raindrop", "Raindrop.io", recognises, read)
