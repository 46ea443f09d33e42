"""Linkwarden's JSON backup: collections that may lie in each other, each with its links. What is pinned is named again
in a list of its own, and is a favourite here; names are sometimes still escaped as HTML. The backup leaves highlights
out; where a link has them as the API answers them (`highlight`), they are imported."""

from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.json_rows import BROKEN, NOT_AN_OBJECT, find_first, load_object
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import (
    build_paths,
    find_path,
    list_of,
    names_of,
    objects_of,
    parse_moment,
    text_of,
)
from kept.content.markup import decode_entities
from kept.domain.imported import ImportedEntry, ImportedLink, Rejected
from kept.domain.json import JsonObject

LIST: Final = "collections"
HIGHLIGHTS: Final = HighlightNames("text", note="comment", created="createdAt", updated="updatedAt")
NO_URL: Final = "This is a file kept in Linkwarden, without a URL."
UNSORTED: Final = "unorganized"


def recognises(file: UploadedFile) -> bool:
    first = find_first(file, LIST) if not file.head_text.lstrip("\ufeff \r\n\t").startswith("[") else None
    return first is not None and "links" in first


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    backup = load_object(file)
    if backup is None:
        yield Rejected(BROKEN)
        return
    collections = objects_of(backup.get(LIST))
    paths = build_paths(collections)
    pinned = {key for one in objects_of(backup.get("pinnedLinks")) if isinstance(key := one.get("id"), (str, int))}
    for collection in collections:
        path = find_path(paths, collection.get("id"))
        for link in list_of(collection.get("links")):
            if isinstance(link, dict):
                key = link.get("id")
                yield read_link(link, path, is_pinned=isinstance(key, (str, int)) and key in pinned)
            else:
                yield Rejected(NOT_AN_OBJECT)


def read_link(said: JsonObject, path: tuple[str, ...], *, is_pinned: bool) -> ImportedEntry:
    url = text_of(said.get("url"))
    if url is None:
        return Rejected(NO_URL, text_of(said.get("name")))
    return ImportedLink(
        url=url,
        title=decode_entities(text_of(said.get("name")) or ""),
        excerpt=decode_entities(text_of(said.get("description")) or ""),
        tags=names_of(said.get("tags"), "name"),
        folders=() if not path or path[0].lower() == UNSORTED else (path,),
        added_at=parse_moment(said.get("importDate")) or parse_moment(said.get("createdAt")),
        is_favourite=is_pinned,
        highlights=HIGHLIGHTS.read(said.get("highlight")) or HIGHLIGHTS.read(said.get("highlights")),
    )


READER: Final = FileReader("linkwarden", "Linkwarden", recognises, read)
