"""linkding's REST answers, as `GET /api/bookmarks/` gives them (with `results`), or their list alone. Its settings page
exports the browsers' format."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.json_rows import find_first, read_objects
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, names_of, parse_moment, text_of
from kept.domain.imported import ImportedEntry, ImportedLink
from kept.domain.json import JsonObject

LIST: Final = "results"


def recognises(file: UploadedFile) -> bool:
    first = find_first(file, LIST)
    return first is not None and {"url", "tag_names"} <= first.keys()


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_objects(file, read_bookmark, LIST)


def read_bookmark(said: JsonObject) -> ImportedEntry:
    return ImportedLink(
        url=text_of(said.get("url")) or "",
        title=text_of(said.get("title")) or text_of(said.get("website_title")),
        excerpt=text_of(said.get("description")) or text_of(said.get("website_description")),
        note=text_of(said.get("notes")),
        tags=names_of(said.get("tag_names")),
        added_at=parse_moment(said.get("date_added")),
        is_read=said.get("unread") is False,
        is_archived=is_true(said.get("is_archived")),
    )


READER: Final = FileReader("linkding", "linkding (REST API)", recognises, read)
