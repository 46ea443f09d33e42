"""The formats, and which one a file is in. Its content decides: people rename files, and tools change names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kept.content.import_formats import (
    annotations,
    csv_rows,
    instapaper,
    karakeep,
    kept_export,
    linkding,
    linkwarden,
    matter,
    netscape,
    omnivore,
    pocket,
    raindrop,
    readeck,
    readwise,
    url_list,
    wallabag,
)
from kept.content.import_formats.archive import BadArchive
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.domain.message import Message

# Particular formats come before general ones: the first that recognises a file takes it.
READERS: Final[tuple[FileReader, ...]] = (
    kept_export.READER,
    annotations.READER,
    pocket.READER,
    omnivore.READER,
    readeck.READER,
    raindrop.READER,
    instapaper.READER,
    readwise.READER,
    matter.READER,
    linkding.READER,
    wallabag.READER,
    karakeep.READER,
    linkwarden.READER,
    netscape.READER,
    csv_rows.READER,
    url_list.READER,
)
BY_NAME: Final[Mapping[str, FileReader]] = {reader.name: reader for reader in READERS}

EMPTY: Final = "The file is empty."
UNKNOWN: Final = "This is not a file of a kind Kept can read."


@dataclass(frozen=True, slots=True)
class Unrecognised:
    """Why no reader takes the file, in words for people."""

    reason: str | Message


def find_reader(file: UploadedFile, name: str | None = None) -> FileReader | Unrecognised:
    """Find the reader for a file; with `name`, the format the person says it is, only that one may take it."""
    if not file.head:
        return Unrecognised(EMPTY)
    if isinstance(file.zip, BadArchive):
        return Unrecognised(file.zip.reason)
    named = BY_NAME.get(name or "")
    found = next((reader for reader in ([named] if named else READERS) if reader.recognises(file)), None)
    if found is None and named is not None:
        return Unrecognised(say_other_format(named))
    return found or Unrecognised(UNKNOWN)


def say_other_format(named: FileReader) -> Message:
    return Message("This file does not look like one of %(label)s.", {"label": named.label})
