"""wallabag's JSON, with the articles it kept. Tags are texts in its exports and objects with a `label` in its API's
answers; flags are 0 and 1, or true and false; what it failed to fetch it kept as an article that says so."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.json_rows import find_first, read_objects
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, names_of, parse_moment, text_of
from kept.content.markup import decode_entities
from kept.domain.imported import ImportedEntry, ImportedLink, ImportedPage
from kept.domain.json import JsonObject

LIST: Final = "items"
# The message wallabag keeps in place of an article, in every version so far.
FAILED: Final = "wallabag can't retrieve contents for this article"

# An annotation's text is what somebody wrote; in exports it has no date.
ANNOTATIONS: Final = HighlightNames("quote", note="text", created="created_at", updated="updated_at")


def recognises(file: UploadedFile) -> bool:
    first = find_first(file, LIST)
    return first is not None and {"url", "is_archived", "is_starred"} <= first.keys() and "tag_names" not in first


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_objects(file, read_entry, LIST)


def read_entry(said: JsonObject) -> ImportedEntry:
    is_archived = is_true(said.get("is_archived"))
    return ImportedLink(
        url=text_of(said.get("url")) or text_of(said.get("given_url")) or "",
        title=decode_entities(text_of(said.get("title")) or ""),
        tags=names_of(said.get("tags"), "label", "slug"),
        added_at=parse_moment(said.get("created_at")),
        is_read=is_archived,
        read_at=parse_moment(said.get("archived_at")) if is_archived else None,
        is_archived=is_archived,
        is_favourite=is_true(said.get("is_starred")),
        highlights=ANNOTATIONS.read(said.get("annotations")),
        content=read_content(said),
    )


def read_content(said: JsonObject) -> ImportedPage | None:
    content = text_of(said.get("content"))
    if content is None or FAILED in content:
        return None
    return ImportedPage(content)


READER: Final = FileReader("wallabag", "wallabag (JSON)", recognises, read)
