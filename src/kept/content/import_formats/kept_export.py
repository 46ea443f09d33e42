"""Kept's own export (docs/export-format.md): items with their words, states, articles and images. Trusted no more
than any other file: whoever brings it may have written it."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Final

from kept.content.article.article import ARTICLE_BEGINS, ARTICLE_ENDS
from kept.content.export_formats.kept_file import FORMAT, MANIFEST, VERSION
from kept.content.import_formats.annotations import read_collection
from kept.content.import_formats.archive import Archive, say_damaged
from kept.content.import_formats.prepare_rows import MAX_CONTENT_CHARACTERS
from kept.content.import_formats.text_decoding import decode
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import object_of, parse_moment, parse_number, parse_share, text_of
from kept.domain.capture import CaptureFormat
from kept.domain.imported import (
    ImportedCapture,
    ImportedCopy,
    ImportedEntry,
    ImportedHighlight,
    ImportedImage,
    ImportedLink,
    ImportedNumbers,
    Rejected,
    clean,
)
from kept.domain.item import MAX_EXCERPT, MAX_TAGS, MAX_TITLE, WEB_SCHEMES
from kept.domain.json import JsonObject
from kept.domain.synced import MAX_RESTORED_NUMBER
from kept.urls.url import MAX_URL_LENGTH

NEWER: Final = "The file was written by a newer Kept."
DAMAGED: Final = "This line of the file is damaged."
MAX_KEY: Final = 64
# A character has at most four bytes.
MAX_ARTICLE_BYTES: Final = 4 * MAX_CONTENT_CHARACTERS
# Kept itself stores no more of a page than an operator allows, 100 by default.
WITHOUT_ARTICLE: Final = f"{ARTICLE_BEGINS}{ARTICLE_ENDS}".encode()
MAX_IMAGES: Final = 1000
MAX_CAPTURES: Final = len(CaptureFormat)
TEXTS: Final = {"title": MAX_TITLE, "excerpt": MAX_EXCERPT, "byline": 500, "site_name": 500, "lang": 35}
URLS: Final = ("preview_image_url", "favicon_url")
MOMENTS: Final = ("published_at", "kept_at")


def recognises(file: UploadedFile) -> bool:
    return file.archive is not None and read_manifest(file.archive) is not None


def read_manifest(archive: Archive) -> JsonObject | None:
    manifest = parse_object(archive.read(MANIFEST) or b"")
    return manifest if manifest is not None and manifest.get("format") == FORMAT else None


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    archive = file.archive
    manifest = read_manifest(archive) if archive is not None else None
    if archive is None or manifest is None:
        return
    if manifest.get("version") != VERSION:
        yield Rejected(NEWER)
        return
    libraries = name_libraries(manifest)
    for name in list_files(manifest):
        data = archive.read(name)
        if data is None:
            yield Rejected(say_damaged(name))
            continue
        for line in data.splitlines():
            said = parse_object(line)
            yield read_item(said, archive, manifest, libraries) if said is not None else Rejected(DAMAGED)


def parse_object(data: bytes) -> JsonObject | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def name_libraries(manifest: JsonObject) -> dict[str, str | None]:
    """Return the names of libraries by id; None for the personal one, whose items go where the importer wants them."""
    found = manifest.get("libraries")
    known = [library for library in found if isinstance(library, dict)] if isinstance(found, list) else []
    return {
        str(library.get("id")): None if library.get("is_default") is True else text_of(library.get("name"))
        for library in known
    }


def list_files(manifest: JsonObject) -> list[str]:
    items = manifest.get("items")
    files = items.get("files") if isinstance(items, dict) else None
    return [name for name in files if isinstance(name, str)] if isinstance(files, list) else []


def read_item(
    said: JsonObject, archive: Archive, manifest: JsonObject, libraries: Mapping[str, str | None]
) -> ImportedEntry:
    reading = object_of(said.get("reading"))
    tags = said.get("tags")
    return ImportedLink(
        url=text_of(said.get("url")) or "",
        title=text_of(said.get("title")),
        excerpt=text_of(said.get("excerpt")),
        note=text_of(said.get("note")),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        added_at=parse_moment(said.get("created_at")),
        updated_at=parse_moment(said.get("updated_at")),
        read_at=parse_moment(reading.get("read_at")),
        is_favourite=reading.get("is_favourite") is True,
        is_archived=reading.get("is_archived") is True,
        progress=parse_share(reading.get("progress")),
        highlights=read_highlights(said, archive, find_last_number(manifest)),
        content=read_copy(said, archive),
        library=libraries.get(str(said.get("library"))),
        is_exact=True,
        numbers=read_numbers(said, find_last_number(manifest)),
    )


def find_last_number(manifest: JsonObject) -> int:
    """Return the highest number that the other server had assigned; 0 where no number of the file can be used."""
    return parse_number(manifest.get("last_number"), MAX_RESTORED_NUMBER) or 0


def read_numbers(said: JsonObject, last: int) -> ImportedNumbers | None:
    if not last:
        return None
    tags, given = said.get("tags"), said.get("tag_numbers")
    pairs = zip(tags, given, strict=False) if isinstance(tags, list) and isinstance(given, list) else ()
    numbered = ((tag, parse_number(number, last)) for tag, number in islice(pairs, MAX_TAGS))
    known = tuple((tag, number) for tag, number in numbered if isinstance(tag, str) and number)
    return ImportedNumbers(last, parse_number(said.get("number"), last), known)


def read_highlights(said: JsonObject, archive: Archive, last: int) -> tuple[ImportedHighlight, ...]:
    name = file_name_of(said.get("highlights"))
    return read_collection(archive.read(name) or b"[]", last) if name else ()


def read_copy(said: JsonObject, archive: Archive) -> ImportedCopy | None:
    name, key = text_of(object_of(said.get("article")).get("file")), text_of(said.get("media"))
    captures = tuple(islice(read_captures(said.get("whole_page")), MAX_CAPTURES))
    data = archive.read(name, MAX_ARTICLE_BYTES) if name else None
    if data is None and any(one.format == CaptureFormat.DOCUMENT for one in captures):
        data = WITHOUT_ARTICLE  # a file that could not be read
    if data is None or key is None or len(key) > MAX_KEY:
        return None
    newer, screenshot = text_of(said.get("newer_copy")), file_name_of(said.get("screenshot"))
    return ImportedCopy(
        key=key,
        newer_key=newer if newer and len(newer) <= MAX_KEY else None,
        html=decode(data),
        page=parse_page_fields(object_of(said.get("page"))),
        images=tuple(islice(read_images(said.get("images")), MAX_IMAGES)),
        screenshot=ImportedImage("", screenshot) if screenshot else None,
        captures=captures,
    )


def parse_page_fields(said: JsonObject) -> dict[str, str | datetime | None]:
    """Parse the fields that a page may set, cut to the length that a page's own may have."""
    texts = {name: clean(text_of(said.get(name)), longest) for name, longest in TEXTS.items()}
    urls = {name: url_of(said.get(name)) for name in URLS}
    return texts | urls | {name: parse_moment(said.get(name)) for name in MOMENTS}


def read_images(said: object) -> Iterator[ImportedImage]:
    for image in said if isinstance(said, list) else []:
        origin = url_of(object_of(image).get("origin_url"))
        if origin is not None:
            yield ImportedImage(origin, file_name_of(object_of(image).get("file")))


def read_captures(said: object) -> Iterator[ImportedCapture]:
    for one in said if isinstance(said, list) else []:
        kind, name = text_of(object_of(one).get("format")), file_name_of(object_of(one).get("file"))
        if kind in set(CaptureFormat) and name is not None:
            yield ImportedCapture(str(kind), name)


def file_name_of(value: object) -> str | None:
    name = text_of(value)
    return name if name is not None and len(name) <= MAX_URL_LENGTH else None


def url_of(value: object) -> str | None:
    text = text_of(value)
    is_good = text is not None and text.startswith(WEB_SCHEMES) and len(text) <= MAX_URL_LENGTH and text.isprintable()
    return text if is_good else None


READER: Final = FileReader("kept", "Kept", recognises, read)
