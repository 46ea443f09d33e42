"""The document reader: `python -m kept.subprocesses.document_worker FILE` reads one PDF, e-book or text.

FILE is a descriptor. Run by `kept.subprocesses.document_reader`, one process for each file. What the file does to this
process harms it alone.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from pypdfium2 import PdfDocument

from kept.content.documents.composing import COULD_NOT_BE_READ, TOO_LARGE, FileDetails
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.epub import Book, open_book, read_book
from kept.content.documents.pdf import draw_page, open_pdf, read_pdf
from kept.content.documents.text import read_markdown, read_plain_text
from kept.content.images.format import Thumbnail
from kept.content.images.thumbnail import MAX_SIDE, make_thumbnail
from kept.domain.document import DocumentProblem, DocumentType
from kept.subprocesses.child import serve
from kept.subprocesses.document_codec import encode_document
from kept.subprocesses.frames import Frame

# Of the request's time, as processor time: what was read by then is put together and sent.
READING_SHARE: Final = 0.5


class DocumentSession:
    """The file of this process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: Final = descriptor
        self._pdf: PdfDocument | None = None
        self._book: Book | None = None

    def answer(self, request: Frame) -> Frame:
        asked = request.header
        try:
            match asked["do"]:
                case "read":
                    return encode_document(self.read(asked))
                case "image":
                    return found(self._book.read_image(str(asked["url"])) if self._book else None)
                case "thumbnail":
                    return found(self.make_thumbnail())
                case _:
                    return found(self.draw(int(asked["page"]), int(asked["width"]), int(asked["max_bytes"])))
        except MemoryError:
            return encode_document(DocumentFailed(DocumentProblem.TOO_LARGE, TOO_LARGE))
        except Exception:  # an entry point: whatever the file did, reading it ends with a reason
            traceback.print_exc()
            return encode_document(DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ))

    def read(self, asked: Mapping[str, Any]) -> Document | DocumentFailed:
        data = self.load(int(asked["max_bytes"]))
        if isinstance(data, DocumentFailed):
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

    def load(self, max_bytes: int) -> bytes | DocumentFailed:
        with os.fdopen(self._descriptor, "rb", closefd=False) as stream:
            stream.seek(0)
            data = stream.read(max_bytes + 1)
        return data if len(data) <= max_bytes else DocumentFailed(DocumentProblem.TOO_LARGE, TOO_MANY_BYTES)

    def read_pdf(self, data: bytes, details: FileDetails, is_time_up: Callable[[], bool]) -> Document | DocumentFailed:
        pdf = open_pdf(data)
        if isinstance(pdf, DocumentFailed):
            return pdf
        self._pdf = pdf
        return read_pdf(pdf, details, is_time_up)

    def read_book(self, data: bytes, details: FileDetails, is_time_up: Callable[[], bool]) -> Document | DocumentFailed:
        book = open_book(data)
        if isinstance(book, DocumentFailed):
            return book
        self._book = book
        return read_book(book, details, is_time_up)

    def make_thumbnail(self) -> bytes | None:
        if self._pdf is not None:
            return draw_page(self._pdf, 1, MAX_SIDE)
        cover = self._book.read_cover() if self._book else None
        made = make_thumbnail(cover) if cover else None
        return made.data if isinstance(made, Thumbnail) else None

    def draw(self, page: int, width: int, max_bytes: int) -> bytes | None:
        if self._pdf is None:
            data = self.load(max_bytes)
            opened = data if isinstance(data, DocumentFailed) else open_pdf(data)
            if isinstance(opened, DocumentFailed):
                return None
            self._pdf = opened
        return draw_page(self._pdf, page, width)


TOO_MANY_BYTES: Final = "The file is too large."


def make_timer(seconds: float) -> Callable[[], bool]:
    """Of processor time: where a document is cut must not depend on what else the machine does. One that takes too
    long because of that is killed, and read again later."""
    ends_at = time.process_time() + seconds
    return lambda: time.process_time() > ends_at


def found(data: bytes | None) -> Frame:
    return Frame({"found": data is not None}, data or b"")


def main() -> None:
    session = DocumentSession(int(sys.argv[1]))
    serve(session.answer, lambda: False)


if __name__ == "__main__":
    main()
