"""Matter's CSV. `In Queue` False is what it calls archived; the only date it knows is that of the last touch."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, parse_moment, split_tags
from kept.domain.imported import ImportedEntry, ImportedLink

COLUMNS: Final = frozenset({"title", "url", "tags", "in queue", "favorited", "read", "last interaction date"})


def recognises(file: UploadedFile) -> bool:
    return file.columns >= COLUMNS


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    return ImportedLink(
        url=row.get("url", ""),
        title=row.get("title"),
        tags=split_tags(row.get("tags", ""), ";"),
        added_at=parse_moment(row.get("last interaction date")),
        is_read=is_true(row.get("read")),
        is_archived=row.get("in queue", "").strip().lower() == "false",
        is_favourite=is_true(row.get("favorited")),
    )


READER: Final = FileReader("matter", "Matter", recognises, read)
