"""Readwise Reader's CSV. What lies in its feed was never saved; tags are a list as Python prints it, `favorite` among
them means a star; the date has a space and a zone, and sometimes microseconds."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.reader import FileReader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.content.import_formats.values import parse_moment, parse_quoted_list, parse_share
from kept.domain.imported import ImportedEntry, ImportedLink, Rejected

COLUMNS: Final = frozenset({"title", "url", "document tags", "saved date", "location"})
STAR: Final = "favorite"
NOT_SAVED: Final = "This came by a feed in Reader and was never saved."
# Where the progress of an article read to its end stops, for those who do not scroll past the footer.
READ_FROM: Final = 0.95


def recognises(file: UploadedFile) -> bool:
    return file.columns >= COLUMNS


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    location = row.get("location", "").strip().lower()
    url = row.get("url", "")
    if location == "feed":
        return Rejected(NOT_SAVED, url)
    tags = parse_quoted_list(row.get("document tags", ""))
    progress = parse_share(row.get("reading progress") or 0)
    return ImportedLink(
        url=url,
        title=row.get("title"),
        tags=tuple(tag for tag in tags if tag != STAR),
        added_at=parse_moment(row.get("saved date")),
        is_read=progress >= READ_FROM or location == "archive",
        is_archived=location == "archive",
        is_favourite=STAR in tags,
        progress=progress,
    )


READER: Final = FileReader("readwise", "Readwise Reader", recognises, read)
