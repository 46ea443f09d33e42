"""The bookmark page every browser writes, and linkding, Pinboard, Shaarli, Raindrop, Karakeep and others with it.

linkding marks what is archived with a tag of its own and puts its notes into the description; tags are comma-separated,
by Shaarli and Delicious sometimes with spaces; `TOREAD` is Pinboard's and linkding's.
"""

import re
from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.markup_links import MarkupLink, read_links
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import parse_moment, split_tags
from kept.domain.imported import ImportedEntry, ImportedLink

ARCHIVED_TAG: Final = "linkding:bookmarks.archived"
NOTES: Final = re.compile(r"\[linkding-notes\]((?:(?!\[/?linkding-notes\]).)*+)\[/linkding-notes\]", re.DOTALL)
LOOKS_LIKE: Final = re.compile(
    r"netscape-bookmark-file|<dt>\s*<(?:a|h3)\s|<a\s[^<>]*\b(?:add_date|href)=", re.IGNORECASE
)


def recognises(file: UploadedFile) -> bool:
    return file.is_markup and LOOKS_LIKE.search(file.head_text) is not None


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    return (read_link(link) for link in read_links(file.text()))


def read_link(link: MarkupLink) -> ImportedEntry:
    said = link.attributes
    tags = tuple(tag for tag in split_tags(said.get("tags", ""), ",") if tag != ARCHIVED_TAG)
    notes = NOTES.search(link.description)
    is_archived = ARCHIVED_TAG in said.get("tags", "")
    return ImportedLink(
        url=said.get("href", ""),
        title=link.text,
        excerpt=NOTES.sub("", link.description).strip(),
        note=notes[1].strip() if notes else None,
        tags=tags,
        folders=(link.folders,) if link.folders else (),
        added_at=parse_moment(said.get("add_date")) or parse_moment(said.get("last_modified")),
        is_read=said.get("toread") == "0" if "toread" in said else is_archived,
        is_archived=is_archived,
    )


READER: Final = FileReader("netscape", "Bookmarks of a browser (HTML)", recognises, read)
