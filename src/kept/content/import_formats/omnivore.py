"""Omnivore's zip: lists of what was saved, each article's HTML beside them by its slug, and highlights as Markdown.
States were written in several ways over the years; a PDF is not a page."""

import io
import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from kept.content.import_formats.archive import Archive, say_damaged
from kept.content.import_formats.json_rows import find_first, read_objects
from kept.content.import_formats.text_decoding import decode
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import names_of, parse_moment, parse_share, text_of
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, ImportedPage, Rejected
from kept.domain.json import JsonObject

LISTING: Final = re.compile(r"(?:.*/)?metadata_\d{1,9}_to_\d{1,9}\.json")
SLUG: Final = re.compile(r"[^/\\\x00]{1,250}")
MARKS: Final = re.compile(r"^(?:> ?)++")
READ_FROM: Final = 95.0  # per cent


def recognises(file: UploadedFile) -> bool:
    if file.archive is not None:
        return any(LISTING.fullmatch(name) for name in file.archive.entries)
    first = find_first(file)
    return first is not None and {"slug", "url", "savedAt", "labels"} <= first.keys()


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    if file.archive is None:
        yield from read_objects(file, read_item)
        return
    for name in sorted(filter(LISTING.fullmatch, file.archive.entries), key=first_number):
        data = file.archive.read(name)
        if data is None:
            yield Rejected(say_damaged(name))
            continue
        folder = name[: name.rfind("/") + 1]
        listing = UploadedFile(io.BytesIO(data))
        yield from read_objects(listing, partial(read_item, archive=file.archive, folder=folder))


def first_number(name: str) -> tuple[int, str]:
    return int(name.rpartition("metadata_")[2].partition("_")[0]), name


def read_item(said: JsonObject, archive: Archive | None = None, folder: str = "") -> ImportedEntry:
    is_archived = (text_of(said.get("state")) or "").lower() == "archived"
    progress = said.get("readingProgress") or 0
    slug = text_of(said.get("slug")) or ""
    return ImportedLink(
        url=text_of(said.get("url")) or "",
        title=text_of(said.get("title")),
        excerpt=text_of(said.get("description")),
        tags=names_of(said.get("labels"), "name"),
        added_at=parse_moment(said.get("savedAt")),
        is_read=is_archived or parse_share(progress, of=READ_FROM) == 1.0,
        is_archived=is_archived,
        progress=parse_share(progress, of=100),
        highlights=tuple(read_highlights(read_beside(archive, f"{folder}highlights/{slug}.md", slug) or "")),
        content=page_of(read_beside(archive, f"{folder}content/{slug}.html", slug)),
    )


def read_beside(archive: Archive | None, name: str, slug: str) -> str | None:
    if archive is None or not SLUG.fullmatch(slug):
        return None
    data = archive.read(name)
    return decode(data) if data else None


def read_highlights(markdown: str) -> Iterator[ImportedHighlight]:
    """Yield the highlights. Each begins with its quote, and its notes (and labels, as `#label`) follow up to the next
    quote. An empty paragraph comes after a note on the whole page."""
    quote, notes = "", list[str]()
    for paragraph in markdown.replace("\r\n", "\n").split("\n\n"):
        if paragraph.startswith(">"):
            yield from describe(quote, notes)
            quote, notes = remove_marks(paragraph), []
        elif paragraph.strip():
            notes.append(paragraph.strip())
        elif notes:
            yield ImportedHighlight("", notes.pop())
    yield from describe(quote, notes)


def describe(quote: str, notes: list[str]) -> Iterator[ImportedHighlight]:
    if quote or notes:
        yield ImportedHighlight(quote, "\n\n".join(notes) or None)


def remove_marks(paragraph: str) -> str:
    """Remove the `> ` that Omnivore put before the first line, and in place of each empty one."""
    return "\n".join(MARKS.sub("", line) for line in paragraph.splitlines()).strip()


def page_of(html: str | None) -> ImportedPage | None:
    return ImportedPage(html) if html and html.strip() else None


READER: Final = FileReader("omnivore", "Omnivore", recognises, read)
