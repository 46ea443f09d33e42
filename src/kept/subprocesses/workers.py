"""Every worker program but the browser's: `python -m kept.subprocesses.workers NAME ARGUMENTS` answers requests.

The pools and readers beside this module start them. A program reads hostile bytes, and what they do to its process
harms that process alone. Each imports what it needs inside its own functions: somebody may be waiting for a card, which
needs no PDFium. Pydantic and asyncio are imported nowhere here.
"""

import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from kept.subprocesses.child import arm, resident_bytes, serve
from kept.subprocesses.codec import (
    admit_html,
    as_json,
    encode_bytes,
    encode_failure,
    encode_fields,
    encode_written,
)
from kept.subprocesses.frames import Frame, Header

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

    from kept.content.article.article import Page
    from kept.content.documents.composing import FileDetails
    from kept.content.documents.document import Document, DocumentFailed
    from kept.content.documents.epub import Book
    from kept.content.images.format import BadImage, CleanImage, Thumbnail
    from kept.content.import_formats.prepare_rows import PreparedRow
    from kept.content.whole_page import page_file
    from kept.domain.imported import ImportedCopy, ImportedEntry

MIB: Final = 1024 * 1024

Answer = Callable[[Frame], Frame]


class Program(NamedTuple):
    answer: Answer
    is_worn_out: Callable[[], bool] = lambda: False
    """Whether the process now holds so much memory that another should take its place."""


def main() -> None:
    output = arm()
    name, *arguments = sys.argv[1:]
    program = PROGRAMS[name](*arguments)
    gc.freeze()  # what the imports made stays: the collector need not look at it
    serve(output, program.answer, program.is_worn_out)


def guard(answer: Answer, fail: Callable[[Exception], Frame]) -> Answer:
    """Answer every request, whatever went wrong with it: this is an entry point, and the next request is waiting.

    `fail` returns an answer that was made before: there may be no memory left to import anything.
    """

    def answer_always(request: Frame) -> Frame:
        try:
            return answer(request)
        except MemoryError as error:
            return fail(error)
        except Exception as error:
            traceback.print_exc()
            return fail(error)

    return answer_always


def holds_more_than(size: int, beside: Callable[[], int] = lambda: 0) -> Callable[[], bool]:
    return lambda: resident_bytes(os.getpid()) + beside() > size


# --- cards ------------------------------------------------------------------------------------------------------------

# On the corpus this process stays below 60 MB; memory above this after a hostile page is not given back.
CARD_RETIRE_BYTES: Final = 150 * MIB


def open_cards() -> Program:
    from kept.content.page.card import read_card

    def answer(request: Frame) -> Frame:
        asked = request.header
        return Frame({"card": as_json(read_card(request.body, content_type=asked["content_type"], url=asked["url"]))})

    return Program(guard(answer, lambda _: Frame({"card": None})), holds_more_than(CARD_RETIRE_BYTES))


# --- articles ---------------------------------------------------------------------------------------------------------

# Readability's share of the request's time, so that we still answer for a page on which it gives up.
READABILITY_SHARE: Final = 0.6
# A page may leave memory behind that no allocator gives back. On the corpus this process stays below 90 MB and
# its Node below 140 MB; a hostile page leaves several hundred.
EXTRACTION_RETIRE_BYTES: Final = 300 * MIB


def open_extraction(node: str, bundle: str) -> Program:
    from kept.subprocesses.sidecar import Sidecar

    sidecar = Sidecar(Path(node), Path(bundle))
    sidecar.launch()  # Node starts while we import: somebody may be waiting for this process
    from kept.content.article.article import Article, ExtractFailed
    from kept.content.article.readable import COULD_NOT_BE_READ
    from kept.content.article.reading import read_page
    from kept.domain.failures import FailureCode

    def answer(request: Frame) -> Frame:
        if "join" in request.header:
            return join(request)
        page, seconds = parse_page(request)
        outcome = read_page(page, sidecar, seconds * READABILITY_SHARE)
        return encode_written(outcome) if isinstance(outcome, Article) else encode_failure(outcome)

    failed = encode_failure(ExtractFailed(FailureCode.INGEST_FAILED, COULD_NOT_BE_READ, is_transient=True))
    is_worn_out = holds_more_than(EXTRACTION_RETIRE_BYTES, lambda: sidecar.resident_bytes)
    return Program(guard(answer, lambda _: failed), is_worn_out)


def parse_page(request: Frame) -> "tuple[Page, float]":
    """Parse a request without pydantic: what our own pool sends can be trusted."""
    from kept.content.article.article import Page
    from kept.content.article.site_rules import SiteRule

    said: dict[str, Any] = {**request.header["page"], "media_id": UUID(request.header["page"]["media_id"])}
    if rule := said.pop("rule"):  # JSON has lists where a rule has tuples
        lists: dict[str, Any] = {name: tuple(rule[name]) for name in ("hosts", "take", "leave")}
        said["rule"] = SiteRule(**{**rule, **lists})
    return Page(request.body, **said), float(request.header["seconds"])


def join(request: Frame) -> Frame:
    """Join the pages of one article, whose lengths the request names."""
    from kept.content.article.article import join_pages

    pages, start = [], 0
    for length in request.header["join"]:
        pages.append(admit_html(request.body[start : start + length]))
        start += length
    joined = join_pages(pages)
    return encode_written(joined) if joined else encode_failure("not joined")


# --- images -----------------------------------------------------------------------------------------------------------

# The largest image we decode is 160 MB; memory above this afterwards is not given back.
IMAGE_RETIRE_BYTES: Final = 250 * MIB


def open_images() -> Program:
    from kept.content.images.cleaning import clean_image, convert_image
    from kept.content.images.format import BadImage
    from kept.content.images.thumbnail import make_thumbnail

    makers: Mapping[str, Callable[[bytes], CleanImage | Thumbnail | BadImage]] = {
        "clean": clean_image,
        "thumbnail": make_thumbnail,
        "old_format": convert_image,
    }

    def answer(request: Frame) -> Frame:
        return encode_image(makers[request.header["to"]](request.body))

    return Program(guard(answer, lambda _: encode_failure(BadImage.BROKEN)), holds_more_than(IMAGE_RETIRE_BYTES))


def encode_image(made: "CleanImage | Thumbnail | BadImage") -> Frame:
    from kept.content.images.format import CleanImage, Thumbnail

    match made:
        case CleanImage(data, kind):
            return Frame({"type": kind.value}, data)
        case Thumbnail(data=data, content_type=content_type):
            return Frame({"type": content_type}, data)
        case bad:
            return encode_failure(bad)


# --- documents: one process for each file -----------------------------------------------------------------------------

# This share of the request's time, as processor time, is for reading; what was read by then is sent.
READING_SHARE: Final = 0.5
TOO_MANY_BYTES: Final = "The file is too large."


def open_document(descriptor: str) -> Program:
    from kept.content.documents.composing import COULD_NOT_BE_READ, TOO_LARGE
    from kept.content.documents.document import DocumentFailed
    from kept.domain.document import DocumentProblem

    too_large = encode_failure(DocumentFailed(DocumentProblem.TOO_LARGE, TOO_LARGE))
    broken = encode_failure(DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ))
    session = DocumentSession(int(descriptor))
    return Program(guard(session.answer, lambda error: too_large if isinstance(error, MemoryError) else broken))


class DocumentSession:
    """The PDF, e-book or text that this process reads."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: Final = descriptor
        self._pdf: PdfDocument | None = None
        self._book: Book | None = None

    def answer(self, request: Frame) -> Frame:
        asked = request.header
        match asked["do"]:
            case "read":
                return encode_document(self.read(asked))
            case "image":
                return encode_bytes(self._book.read_image(str(asked["url"])) if self._book else None)
            case "thumbnail":
                return encode_bytes(self.make_thumbnail())
            case _:
                return encode_bytes(self.draw(int(asked["page"]), int(asked["width"]), int(asked["max_bytes"])))

    def read(self, asked: Header) -> "Document | DocumentFailed":
        from kept.content.documents.composing import FileDetails
        from kept.content.documents.text import read_markdown, read_plain_text
        from kept.domain.document import DocumentType

        data = self.load(int(asked["max_bytes"]))
        if not isinstance(data, bytes):
            return data
        details = FileDetails(asked["url"], UUID(asked["media_id"]), asked["file_name"], asked["content_type"])
        is_time_up = make_timer(float(asked["seconds"]) * READING_SHARE)
        match DocumentType(asked["type"]):
            case DocumentType.PDF:
                return self.read_pdf(data, details, is_time_up)
            case DocumentType.EPUB:
                return self.read_book(data, details, is_time_up)
            case DocumentType.MARKDOWN:
                return read_markdown(data, details)
            case _:
                return read_plain_text(data, details)

    def load(self, max_bytes: int) -> "bytes | DocumentFailed":
        from kept.content.documents.document import DocumentFailed
        from kept.domain.document import DocumentProblem

        data = read_descriptor(self._descriptor, max_bytes + 1)
        return data if len(data) <= max_bytes else DocumentFailed(DocumentProblem.TOO_LARGE, TOO_MANY_BYTES)

    def read_pdf(
        self, data: bytes, details: "FileDetails", is_time_up: Callable[[], bool]
    ) -> "Document | DocumentFailed":
        from kept.content.documents.document import DocumentFailed
        from kept.content.documents.pdf import open_pdf, read_pdf

        pdf = open_pdf(data)
        if isinstance(pdf, DocumentFailed):
            return pdf
        self._pdf = pdf
        return read_pdf(pdf, details, is_time_up)

    def read_book(
        self, data: bytes, details: "FileDetails", is_time_up: Callable[[], bool]
    ) -> "Document | DocumentFailed":
        from kept.content.documents.document import DocumentFailed
        from kept.content.documents.epub import open_book, read_book

        book = open_book(data)
        if isinstance(book, DocumentFailed):
            return book
        self._book = book
        return read_book(book, details, is_time_up)

    def make_thumbnail(self) -> bytes | None:
        from kept.content.images.format import Thumbnail
        from kept.content.images.thumbnail import MAX_SIDE, make_thumbnail

        if self._pdf is not None:
            from kept.content.documents.pdf import draw_page

            return draw_page(self._pdf, 1, MAX_SIDE)
        cover = self._book.read_cover() if self._book else None
        made = make_thumbnail(cover) if cover else None
        return made.data if isinstance(made, Thumbnail) else None

    def draw(self, page: int, width: int, max_bytes: int) -> bytes | None:
        from kept.content.documents.document import DocumentFailed
        from kept.content.documents.pdf import draw_page, open_pdf

        if self._pdf is None:
            data = self.load(max_bytes)
            opened = open_pdf(data) if isinstance(data, bytes) else data
            if isinstance(opened, DocumentFailed):
                return None
            self._pdf = opened
        return draw_page(self._pdf, page, width)


def encode_document(outcome: "Document | DocumentFailed") -> Frame:
    from kept.content.documents.document import DocumentFailed

    if isinstance(outcome, DocumentFailed):
        return encode_failure(outcome)
    article = encode_written(outcome.article)
    return Frame({**article.header, "document": encode_fields(outcome, "article", "thumbnail")}, article.body)


def make_timer(seconds: float) -> Callable[[], bool]:
    """Measure processor time: where a document is cut must not depend on what else the machine does. One that takes too
    long on a busy machine is killed, and read again later."""
    ends_at = time.process_time() + seconds
    return lambda: time.process_time() > ends_at


def read_descriptor(descriptor: int, size: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        stream.seek(0)
        return stream.read(size)


# --- pages that somebody saved: one process for each file -------------------------------------------------------------

UTF_8: Final = "text/html; charset=utf-8"
PAGE_UNREADABLE: Final = "The page could not be read."


def open_page(descriptor: str, output: str) -> Program:
    from kept.content.whole_page.page_file import TOO_LARGE, BadPageFile

    too_large = encode_failure(BadPageFile(TOO_LARGE, is_too_large=True))
    broken = encode_failure(BadPageFile(PAGE_UNREADABLE))
    session = PageSession(int(descriptor), int(output))
    return Program(guard(session.answer, lambda error: too_large if isinstance(error, MemoryError) else broken))


class PageSession:
    """The saved page that this process reads, once it was opened."""

    def __init__(self, descriptor: int, output: int) -> None:
        self._descriptor, self._output = descriptor, output
        self._file: page_file.PageFile | None = None
        self._document: page_file.Document | None = None

    def answer(self, request: Frame) -> Frame:
        asked = request.header
        if asked["do"] == "open":
            return self.open(asked)
        assert self._file is not None
        assert self._document is not None
        match asked["do"]:
            case "expand":
                return self.write(self._file.content)
            case "static":
                return self.make_static(self._file, int(asked["max_bytes"]))
            case "document":
                return Frame({"base_url": self._document.base_url}, self._document.html.encode())
            case _:
                return self.read_image(self._file, self._document, str(asked["url"]))

    def open(self, asked: Header) -> Frame:
        from kept.content.page.card import read_card
        from kept.content.whole_page.page_file import TOO_MUCH_TEXT, BadPageFile, make_document, open_page_file

        max_bytes = int(asked["max_bytes"])
        data = read_descriptor(self._descriptor, max_bytes + 1)
        opened = open_page_file(data, str(asked["url"]), max_bytes=max_bytes)
        if isinstance(opened, BadPageFile):
            return encode_failure(opened)
        document = make_document(opened)
        html = document.html.encode()
        if len(html) > int(asked["max_document_bytes"]):
            return encode_failure(BadPageFile(TOO_MUCH_TEXT, is_too_large=True))
        self._file, self._document = opened, document
        card = read_card(html[: int(asked["card_bytes"])], content_type=UTF_8, url=document.base_url)
        is_expanded = opened.content != data
        return Frame({"kind": opened.kind, "digest": opened.digest, "is_expanded": is_expanded, "card": as_json(card)})

    def make_static(self, file: "page_file.PageFile", max_bytes: int) -> Frame:
        from kept.content.whole_page.page_file import BadPageFile
        from kept.content.whole_page.static_page import make_static_page

        page = make_static_page(file, max_bytes=max_bytes)
        return encode_failure(page) if isinstance(page, BadPageFile) else self.write(page.encode())

    def read_image(self, file: "page_file.PageFile", document: "page_file.Document", url: str) -> Frame:
        from kept.content.whole_page.page_file import read_image

        return encode_bytes(read_image(file, document, url))

    def write(self, content: bytes) -> Frame:
        with os.fdopen(self._output, "wb", closefd=False) as stream:
            stream.seek(0)
            stream.truncate()
            stream.write(content)
        return Frame({"bytes": len(content)})


# --- imports: one process for each file -------------------------------------------------------------------------------

# Beside this process, the worker fetches and writes the pages of everybody.
NICENESS: Final = 10
# An answer is sent when it has this many bytes or took this long, whatever was asked for.
ANSWER_BYTES: Final = 4 * MIB
ANSWER_SECONDS: Final = 1.0
FILE_TOO_LARGE: Final = "The file is too large when unpacked."
FILE_UNREADABLE: Final = "The file could not be read."


def open_import(descriptor: str) -> Program:
    from kept.content.import_formats.archive import ArchiveExhausted

    os.nice(NICENESS)
    too_large, broken = (encode_failure({"reason": reason}) for reason in (FILE_TOO_LARGE, FILE_UNREADABLE))
    exhausted = (MemoryError, ArchiveExhausted)
    session = ImportSession(int(descriptor))
    return Program(guard(session.answer, lambda error: too_large if isinstance(error, exhausted) else broken))


class ImportSession:
    """The uploaded file that this process reads, and its place in it."""

    def __init__(self, descriptor: int) -> None:
        from kept.content.import_formats.uploaded_file import UploadedFile

        self._stream: Final = os.fdopen(descriptor, "rb")
        self._file = UploadedFile(self._stream)
        self._skip = 0
        self._entries: Iterator[ImportedEntry] = iter(())
        self._rows: Iterator[PreparedRow] = iter(())

    def answer(self, request: Frame) -> Frame:
        asked = request.header
        match asked["do"]:
            case "open":
                return self.open(asked)
            case "rows":
                return self.next_rows(int(asked["most"]))
            case _:
                return self.read_entry(str(asked["name"]), int(asked["max_bytes"]))

    def open(self, asked: Header) -> Frame:
        from kept.content.import_formats.prepare_rows import prepare_rows
        from kept.content.import_formats.registry import Unrecognised, find_reader
        from kept.content.import_formats.uploaded_file import UploadedFile
        from kept.domain.imported import FolderUse

        self._file = UploadedFile(self._stream, asked["name"])
        reader = find_reader(self._file, asked["format"])
        if isinstance(reader, Unrecognised):
            return encode_failure({"reason": str(reader.reason)})
        self._skip = first = int(asked["first"])
        self._entries = reader.read(self._file)
        use, now = FolderUse(asked["folder_use"]), datetime.fromisoformat(asked["now"])
        self._rows = prepare_rows(self._entries, first=first, folder_use=use, now=now)
        return Frame({"format": reader.name})

    def next_rows(self, most: int) -> Frame:
        """Return at most `most` rows, or fewer, even none, if they are large or take long: the caller asks again. A
        highlight counts as a row, since it takes as long to write."""
        from kept.content.import_formats.prepare_rows import PreparedLink

        ends_at = time.monotonic() + ANSWER_SECONDS
        rows: list[tuple[bytes, bytes]] = []
        size = highlights = 0
        while len(rows) + highlights < most and size < ANSWER_BYTES and time.monotonic() < ends_at:
            if self._skip > 0:
                if next(self._entries, None) is None:
                    return encode_rows(rows, is_over=True)
                self._skip -= 1
                continue
            row = next(self._rows, None)
            if row is None:
                return encode_rows(rows, is_over=True)
            encoded = encode_row(row)
            rows.append(encoded)
            size += len(encoded[0]) + len(encoded[1])
            highlights += len(row.highlights) if isinstance(row, PreparedLink) else 0
        return encode_rows(rows, is_over=False)

    def read_entry(self, name: str, max_bytes: int) -> Frame:
        archive = self._file.archive
        return encode_bytes(archive.read(name, max_bytes) if archive is not None else None)


def encode_rows(rows: list[tuple[bytes, bytes]], *, is_over: bool) -> Frame:
    sizes = [[len(row), len(page)] for row, page in rows]
    return Frame({"sizes": sizes, "is_over": is_over}, b"".join(part for row in rows for part in row))


def encode_row(row: "PreparedRow") -> tuple[bytes, bytes]:
    """Return the row as JSON, and the page that came with it."""
    from kept.content.import_formats.prepare_rows import PreparedLink

    if not isinstance(row, PreparedLink):
        return json.dumps(as_json(row)).encode(), b""
    told = {
        **encode_fields(row, "url", "body", "copy", "images"),
        "url": str(row.url),
        "copy": encode_copy(row.copy) if row.copy else None,
    }
    return json.dumps(told).encode(), row.body or b""


def encode_copy(copy: "ImportedCopy") -> dict[str, object]:
    """Return the copy as JSON, which has no dates: they are kept apart from other texts."""
    moments = {name: value.isoformat() for name, value in copy.page.items() if isinstance(value, datetime)}
    texts = {name: value for name, value in copy.page.items() if not isinstance(value, datetime)}
    return {**encode_fields(copy, "html", "page"), "texts": texts, "moments": moments}


PROGRAMS: Final[Mapping[str, Callable[..., Program]]] = {
    "cards": open_cards,
    "extraction": open_extraction,
    "images": open_images,
    "documents": open_document,
    "pages": open_page,
    "imports": open_import,
}


if __name__ == "__main__":
    main()
