"""Linkwarden's JSON backup: collections that may lie in each other, each with its links. What is pinned is named again
in a list of its own, and is a favourite here; names are sometimes still escaped as HTML."""

import html
from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.folder_paths import build_paths
from kept.content.import_formats.json_rows import BROKEN, NOT_AN_OBJECT, JsonObject, find_first, load_object
from kept.content.import_formats.reader import FileReader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.content.import_formats.values import names_of, parse_moment, text_of
from kept.domain.imported import ImportedEntry, ImportedLink, Rejected

LIST: Final = "collections"
NO_ADDRESS: Final = "This is a file kept in Linkwarden, without a web address."
UNSORTED: Final = "unorganized"


def recognises(file: UploadedFile) -> bool:
    first = find_first(file, LIST) if not file.head_text.lstrip("\ufeff \r\n\t").startswith("[") else None
    return first is not None and "links" in first


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    backup = load_object(file)
    if backup is None:
        yield Rejected(BROKEN)
        return
    collections = [one for one in backup.get(LIST) or () if isinstance(one, dict)]
    paths = build_paths(collections)
    pinned = {one.get("id") for one in backup.get("pinnedLinks") or () if isinstance(one, dict)}
    for collection in collections:
        for link in collection.get("links") or ():
            if isinstance(link, dict):
                yield read_link(link, paths.get(collection.get("id"), ()), is_pinned=link.get("id", pinned) in pinned)
            else:
                yield Rejected(NOT_AN_OBJECT)


def read_link(said: JsonObject, path: tuple[str, ...], *, is_pinned: bool) -> ImportedEntry:
    url = text_of(said.get("url"))
    if url is None:
        return Rejected(NO_ADDRESS, text_of(said.get("name")))
    return ImportedLink(
        url=url,
        title=html.unescape(text_of(said.get("name")) or ""),
        excerpt=html.unescape(text_of(said.get("description")) or ""),
        tags=names_of(said.get("tags"), "name"),
        folders=() if not path or path[0].lower() == UNSORTED else (path,),
        added_at=parse_moment(said.get("importDate")) or parse_moment(said.get("createdAt")),
        is_favourite=is_pinned,
    )


READER: Final = FileReader("linkwarden", "Linkwarden", recognises, read)
