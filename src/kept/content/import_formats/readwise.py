"""Readwise: the CSV of Reader's library, and highlights as CSV (what Readwise takes in, and Kept writes) or as JSON of
its export API.

In the library, what lies in the feed was never saved; tags are a list as Python prints it, `favorite` among them means
a star; the date has a space and a zone, and sometimes microseconds. It has no highlights. Readwise's own CSV of
highlights names no URL, so that nobody can tell which page they are of.
"""

from collections.abc import Iterator
from typing import Final

from kept.content.export_formats.csv_file import restore
from kept.content.import_formats.annotations import HighlightNames
from kept.content.import_formats.csv_rows import Row, read_csv, read_rows
from kept.content.import_formats.json_rows import find_first, read_objects
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import (
    names_of,
    parse_colour,
    parse_moment,
    parse_position,
    parse_quoted_list,
    parse_share,
    text_of,
)
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, Rejected
from kept.domain.json import JsonObject

COLUMNS: Final = frozenset({"title", "url", "document tags", "saved date", "location"})
HIGHLIGHT_COLUMNS: Final = frozenset({"highlight", "note", "location"})
DOCUMENTS: Final = "results"
HIGHLIGHTS: Final = HighlightNames("text", created="highlighted_at", updated="updated_at")
STAR: Final = "favorite"
NOT_SAVED: Final = "This came by a feed in Reader and was never saved."
NO_URL: Final = "This highlight is of no web page: the file names no URL for it."
# The progress of an article that was read to its end without scrolling past the footer.
READ_FROM: Final = 0.95


def recognises(file: UploadedFile) -> bool:
    return file.columns >= COLUMNS or file.columns >= HIGHLIGHT_COLUMNS or has_documents(file)


def has_documents(file: UploadedFile) -> bool:
    first = find_first(file, DOCUMENTS)
    return first is not None and {"user_book_id", "highlights"} <= first.keys()


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    if file.is_json:
        return read_objects(file, read_document, DOCUMENTS)
    return read_csv(file, read_row) if file.columns >= COLUMNS else read_highlights(file)


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


# --- highlights ---------------------------------------------------------------------------------------------------


def read_document(said: JsonObject) -> ImportedEntry:
    url = text_of(said.get("source_url"))
    if url is None:
        return Rejected(NO_URL, text_of(said.get("title")))
    return ImportedLink(
        url=url,
        title=text_of(said.get("title")),
        note=text_of(said.get("document_note")),
        tags=names_of(said.get("book_tags"), "name"),
        highlights=HIGHLIGHTS.read(said.get("highlights")),
    )


def read_highlights(file: UploadedFile) -> Iterator[ImportedEntry]:
    """Read highlights, one a row; those of one page are one entry, in the place of the first of them."""
    titles, marked = dict[str, str](), dict[str, list[ImportedHighlight]]()
    for row in read_rows(file.text(), file.delimiter):
        if isinstance(row, Rejected):
            yield row
        elif url := text_of(row.get("url")):
            titles.setdefault(url, restore(row.get("title", "")))
            marked.setdefault(url, []).append(read_highlight(row))
        else:
            yield Rejected(NO_URL, text_of(row.get("title")) or text_of(row.get("book title")))
    for url, highlights in marked.items():
        yield ImportedLink(url, titles[url], highlights=tuple(highlights))


def read_highlight(row: Row) -> ImportedHighlight:
    return ImportedHighlight(
        restore(row.get("highlight", "")),
        restore(row.get("note", "")) or None,
        parse_moment(row.get("date") or row.get("highlighted at")),
        parse_colour(row.get("color")),
        start=parse_position(row.get("location")),
    )


READER: Final = FileReader("readwise", "Readwise Reader", recognises, read)
