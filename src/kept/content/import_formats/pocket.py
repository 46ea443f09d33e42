"""Pocket: the zip of its last years (CSV parts, and annotations beside them), one such part, or its old HTML page.

A title that is missing was written as the URL; tags are set apart by `|` in CSV and by commas in HTML.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.archive import say_damaged
from kept.content.import_formats.csv_rows import Row, read_csv
from kept.content.import_formats.markup_links import MarkupLink, read_links
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import names_of, parse_moment, split_tags, text_of
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, Rejected

COLUMNS: Final = frozenset({"title", "url", "time_added", "tags", "status"})
PART: Final = re.compile(r"(?:.*/)?part_\d+\.csv")
ANNOTATIONS: Final = re.compile(r"(?:.*/)?(?:annotations/)?part_\d+\.json")
OLD_PAGE: Final = re.compile(r"<title>\s*Pocket Export\s*</title>|<a\s[^<>]*\btime_added=", re.IGNORECASE)
READ: Final = frozenset({"archive", "archived", "read"})

HIGHLIGHTS: Final = HighlightNames("quote", created="created_at", updated="updated_at")

HighlightsByUrl = dict[str, list[ImportedHighlight]]


def recognises(file: UploadedFile) -> bool:
    if file.archive is not None:
        return any(PART.fullmatch(name) for name in file.archive.entries)
    return file.columns >= COLUMNS or (file.is_markup and OLD_PAGE.search(file.head_text) is not None)


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    if file.archive is not None:
        return read_parts(file)
    return read_old_page(file) if file.is_markup else read_csv(file, read_row)


def read_row(row: Row) -> ImportedEntry:
    is_read = row.get("status", "").strip().lower() in READ
    return ImportedLink(
        url=row.get("url", ""),
        title=row.get("title"),
        tags=split_tags(row.get("tags", ""), "|"),
        added_at=parse_moment(row.get("time_added")),
        is_read=is_read,
        is_archived=is_read,
        is_favourite=row.get("favorite", "") == "1",
    )


def read_parts(file: UploadedFile) -> Iterator[ImportedEntry]:
    assert file.archive is not None
    marked = read_annotations(file)
    for name in filter(PART.fullmatch, file.archive.names()):
        data = file.archive.read(name)
        if data is None:
            yield Rejected(say_damaged(name))
            continue
        for entry in read_csv(UploadedFile.of(data), read_row):
            if isinstance(entry, ImportedLink) and entry.url in marked:
                yield replace(entry, highlights=tuple(marked.pop(entry.url)))
            else:
                yield entry
    for url, highlights in marked.items():  # annotated, and not in any part
        yield ImportedLink(url, highlights=tuple(highlights))


def read_annotations(file: UploadedFile) -> HighlightsByUrl:
    assert file.archive is not None
    found: HighlightsByUrl = {}
    for name in filter(ANNOTATIONS.fullmatch, file.archive.names()):
        try:
            pages = json.loads(file.archive.read(name) or b"[]")
        except (ValueError, RecursionError):
            continue
        for page in pages if isinstance(pages, list) else [pages]:
            url = text_of(page.get("url")) if isinstance(page, dict) else None
            if url:
                found.setdefault(url, []).extend(HIGHLIGHTS.read(page.get("highlights")))
    return {url: highlights for url, highlights in found.items() if highlights}


def read_old_page(file: UploadedFile) -> Iterator[ImportedEntry]:
    return (read_old_link(link) for link in read_links(file.text()))


def read_old_link(link: MarkupLink) -> ImportedEntry:
    is_read = bool(link.folders) and link.folders[-1].lower().startswith("read")
    return ImportedLink(
        url=link.attributes.get("href", ""),
        title=link.text,
        tags=names_of(link.attributes.get("tags", "").split(",")),
        added_at=parse_moment(link.attributes.get("time_added") or link.attributes.get("add_date")),
        is_read=is_read,
        is_archived=is_read,
    )


READER: Final = FileReader("pocket", "Pocket", recognises, read)
