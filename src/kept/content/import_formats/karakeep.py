"""Karakeep's (once Hoarder's) JSON: bookmarks and the lists they lie in; smart lists are searches, not places. Notes
without a link and kept files have no URL, and are told as such. Its own export leaves highlights out; who adds what its
API says of them (`GET /highlights`), in each bookmark or in a list beside the bookmarks, has them imported."""

from collections.abc import Iterator, Mapping
from typing import Final

from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.json_rows import BROKEN, NOT_AN_OBJECT, find_first, load_object
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import (
    FolderId,
    build_paths,
    is_true,
    list_of,
    names_of,
    objects_of,
    parse_moment,
    text_of,
)
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, Rejected
from kept.domain.json import JsonObject

LIST: Final = "bookmarks"
HIGHLIGHTS: Final = HighlightNames("text", created="createdAt")
NOTE_ONLY: Final = "This is a note kept in Karakeep, without a URL."
NO_CONTENT: Final = "This is a file kept in Karakeep, which its export leaves out."


def recognises(file: UploadedFile) -> bool:
    first = find_first(file, LIST) if not file.head_text.lstrip("\ufeff \r\n\t").startswith("[") else None
    return first is not None and {"content", "tags"} <= first.keys()


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    export = load_object(file)
    if export is None:
        yield Rejected(BROKEN)
        return
    paths = build_paths(one for one in objects_of(export.get("lists")) if one.get("type") != "smart")
    marked = sort_highlights(export)
    for bookmark in list_of(export.get(LIST)):
        yield read_bookmark(bookmark, paths, marked) if isinstance(bookmark, dict) else Rejected(NOT_AN_OBJECT)


def sort_highlights(export: JsonObject) -> dict[str, list[ImportedHighlight]]:
    """Return the highlights that are beside the bookmarks, by the bookmark they belong to."""
    found: dict[str, list[ImportedHighlight]] = {}
    for said in objects_of(export.get("highlights")):
        if key := text_of(said.get("bookmarkId")):
            found.setdefault(key, []).extend(HIGHLIGHTS.read([said]))
    return found


def read_bookmark(
    said: JsonObject, paths: Mapping[FolderId, tuple[str, ...]], marked: Mapping[str, list[ImportedHighlight]]
) -> ImportedEntry:
    content = said.get("content")
    if not isinstance(content, dict):
        return Rejected(NO_CONTENT, text_of(said.get("title")))
    url = text_of(content.get("url"))
    if url is None:
        return Rejected(NOTE_ONLY, text_of(said.get("title")))
    listed = names_of(said.get("lists"))
    return ImportedLink(
        url=url,
        title=text_of(said.get("title")),
        note=text_of(said.get("note")),
        tags=names_of(said.get("tags"), "name"),
        folders=tuple(paths[key] for key in listed if paths.get(key)),
        added_at=parse_moment(said.get("createdAt")),
        is_read=is_true(said.get("archived")),
        is_archived=is_true(said.get("archived")),
        is_favourite=is_true(said.get("favourited")),
        highlights=(*HIGHLIGHTS.read(said.get("highlights")), *marked.get(text_of(said.get("id")) or "", ())),
    )


READER: Final = FileReader("karakeep", "Karakeep", recognises, read)
