"""Whole pages that come with another Kept's file: stored, and the static page made anew, since nobody vouches for the
one in the file."""

import io
import tempfile
from collections.abc import Mapping
from typing import BinaryIO, Final, cast
from uuid import UUID

from kept.content.documents.recognise import HEAD_BYTES, recognise
from kept.content.images.format import ImageFormat, sniff_image
from kept.content.images.outcomes import BadImage
from kept.content.import_formats.prepare_rows import StoredCapture
from kept.content.whole_page.mhtml import looks_like_mhtml
from kept.domain.capture import CONTENT_TYPES, CaptureFormat
from kept.domain.document import CONTENT_TYPES as CONTENT_TYPES_OF_DOCUMENTS
from kept.domain.document import EXTENSIONS
from kept.domain.errors import PageUnreadable, TooLarge
from kept.domain.imported import ImportedCopy
from kept.services.importing.importer import Importer
from kept.services.pages.files import PageFiles, store_document_file, store_static_page
from kept.storage.captures import capture_key
from kept.subprocesses.import_reader import ImportReader
from kept.subprocesses.page_reader import PageReaders

# What the static page is made of, the best first.
SOURCES: Final = ("mhtml", "upload", "html")
NAMES: Final = {CaptureFormat.MHTML: "page.mhtml", CaptureFormat.PNG: "page.png", CaptureFormat.PDF: "page.pdf"}


async def store_imported_captures(
    importer: Importer, reader: ImportReader, copy: ImportedCopy, media_id: UUID, url: str, room: int | None
) -> tuple[StoredCapture, ...]:
    """`room`: bytes that whoever imports may still keep; a document that is larger comes without its file."""
    files = {one.format: one.file for one in copy.captures}
    stored = [
        await _store(importer, media_id, kind, data)
        for kind in NAMES
        if (data := await _read(importer, reader, files, kind)) is not None
    ]
    document = await _store_document(importer, reader, files, media_id, room)
    stored += [document] if document else []
    source = next((files[name] for name in SOURCES if name in files), None)
    data = await reader.read_entry(source, importer.settings.whole_page_max_bytes) if source else None
    static = await _make_static(importer, media_id, data, url) if data else None
    return (*stored, *([static] if static else []))


async def _store_document(
    importer: Importer, reader: ImportReader, files: Mapping[str, str], media_id: UUID, room: int | None
) -> StoredCapture | None:
    """What it is, its bytes say; of text, and of a PDF that does not begin as one, the name, which Kept gave it."""
    name = files.get(CaptureFormat.DOCUMENT.value)
    data = await reader.read_entry(name, importer.settings.max_document_bytes) if name else None
    kind = recognise(data[:HEAD_BYTES], _find_content_type(name or ""), name or "") if data is not None else None
    if data is None or kind is None or (room is not None and len(data) > room):
        return None
    content_type = CONTENT_TYPES_OF_DOCUMENTS.get(kind) or str(sniff_image(data))
    made = await store_document_file(importer.blobs, io.BytesIO(data), media_id, content_type)
    return StoredCapture(made.format, made.blob_key, content_type, made.size, made.digest)


def _find_content_type(name: str) -> str | None:
    ending = name.rpartition(".")[2]
    return next((content_type for content_type, extension in EXTENSIONS.items() if extension == ending), None)


async def _read(
    importer: Importer, reader: ImportReader, files: Mapping[str, str], kind: CaptureFormat
) -> bytes | None:
    """None where there is none, or it is not what it is called. An uploaded MHTML is one as well as any."""
    name = files.get(kind.value) or (files.get("upload") if kind is CaptureFormat.MHTML else None)
    data = await reader.read_entry(name, importer.settings.whole_page_max_bytes) if name else None
    if data is None:
        return None
    match kind:
        case CaptureFormat.MHTML:
            return data if looks_like_mhtml(data) else None
        case CaptureFormat.PDF:
            return data if data.startswith(b"%PDF-") else None
        case _:
            made = await importer.images.clean(data)
            return made.data if not isinstance(made, BadImage) and made.kind is ImageFormat.PNG else None


async def _store(importer: Importer, media_id: UUID, kind: CaptureFormat, data: bytes) -> StoredCapture:
    key = capture_key(media_id, NAMES[kind])
    await importer.blobs.put(key, data, CONTENT_TYPES[kind])
    return StoredCapture(kind, key, CONTENT_TYPES[kind], len(data))


async def _make_static(importer: Importer, media_id: UUID, data: bytes, url: str) -> StoredCapture | None:
    readers = PageReaders.from_settings(importer.settings)
    files = PageFiles(importer.blobs, readers, importer.images)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            async with readers.start(cast("BinaryIO", file)) as page:
                await page.open(url, is_article=False)
                made = await store_static_page(files, page, media_id)
        except (PageUnreadable, TooLarge):
            return None
    return StoredCapture(made.format, made.blob_key, made.content_type, made.size) if made else None
