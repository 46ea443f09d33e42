"""Readeck: the CSV its pages export, and the zip of `readeck export`, in which each bookmark has a folder with its
`info.json` (the row as its program knows it) and the page it kept. A zip of several people is refused row by row but
for the first: whose bookmarks they are must not be mixed."""

import json
import re
from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.archive import Archive
from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.text_decoding import decode
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import is_true, names_of, parse_json_list, parse_moment, parse_share, text_of
from kept.domain.imported import ImportedEntry, ImportedLink, ImportedPage, Rejected
from kept.domain.json import JsonObject

COLUMNS: Final = frozenset({"url", "title", "created", "labels", "is_archived", "is_marked"})
BOOKMARK: Final = re.compile(r"bookmarks/([^/]+)/info\.json")
ARTICLE: Final = "container/index.html"
ANNOTATIONS: Final = HighlightNames("text")
DAMAGED: Final = "This bookmark's info.json is damaged."
SOMEBODY_ELSE: Final = "This bookmark is another user's: export one user at a time (readeck export -user NAME)."


def recognises(file: UploadedFile) -> bool:
    if file.archive is not None:
        return any(BOOKMARK.fullmatch(name) for name in file.archive.entries)
    return file.columns >= COLUMNS


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return read_folders(file.archive) if file.archive is not None else read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    return ImportedLink(
        url=row.get("url", ""),
        title=row.get("title"),
        tags=parse_json_list(row.get("labels", "")) or (),
        added_at=parse_moment(row.get("created")),
        is_read=is_true(row.get("is_archived")),
        is_archived=is_true(row.get("is_archived")),
        is_favourite=is_true(row.get("is_marked")),
    )


def read_folders(archive: Archive) -> Iterator[ImportedEntry]:
    owner: object = None
    for name in filter(BOOKMARK.fullmatch, archive.names(start="bookmarks/", end="/info.json")):
        said = read_info(archive, name)
        if said is None:
            yield Rejected(DAMAGED)
            continue
        owner = owner if owner is not None else said.get("UserID")
        if said.get("UserID") != owner:
            yield Rejected(SOMEBODY_ELSE)
            continue
        yield read_bookmark(said, archive.read(name.removesuffix("info.json") + ARTICLE))


def read_info(archive: Archive, name: str) -> JsonObject | None:
    try:
        found = json.loads(archive.read(name) or b"")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_bookmark(said: JsonObject, article: bytes | None) -> ImportedEntry:
    is_archived = is_true(said.get("IsArchived"))
    progress = parse_share(said.get("ReadProgress") or 0, of=100)
    return ImportedLink(
        url=text_of(said.get("InitialURL")) or text_of(said.get("URL")) or "",
        title=text_of(said.get("Title")),
        excerpt=text_of(said.get("Description")),
        tags=names_of(said.get("Labels")),
        added_at=parse_moment(said.get("Created")),
        is_read=is_archived or progress == 1.0,
        is_archived=is_archived,
        is_favourite=is_true(said.get("IsMarked")),
        progress=progress,
        highlights=ANNOTATIONS.read(said.get("Annotations")),
        content=ImportedPage(decode(article)) if article else None,
    )


READER: Final = FileReader("readeck", "Readeck", recognises, read)
