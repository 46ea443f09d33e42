"""Text and images of documents, whatever the file does to the process that reads it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Final, Self
from uuid import UUID

from kept.config import Settings
from kept.content.article.article import Article
from kept.content.documents.document import Document, DocumentFailed
from kept.content.images.format import ImageFormat, sniff_image
from kept.domain.document import DocumentProblem, DocumentType
from kept.subprocesses.codec import parse_bytes, parse_fields, parse_written
from kept.subprocesses.file_reader import FileProgram, FileReader
from kept.subprocesses.frames import Frame

TOO_SLOW: Final = DocumentFailed(DocumentProblem.TOO_LARGE, "Reading the file took too long.", is_transient=True)
LOST: Final = DocumentFailed(
    DocumentProblem.BROKEN, "The file could not be read: it takes too much memory, or is damaged.", is_transient=True
)
# A first page that takes longer is not worth it: the text is there without it.
THUMBNAIL_SECONDS: Final = 5.0


class DocumentReader:
    """Reads one file. A bad file never raises; once its process is lost, every answer is a failure."""

    def __init__(self, file: FileReader[DocumentFailed], readers: "DocumentReaders") -> None:
        self._file, self._readers = file, readers

    @property
    def pid(self) -> int | None:
        return self._file.pid

    @property
    def is_lost(self) -> bool:
        """True once the process ended, or was ended for taking too long."""
        return self.pid is None

    async def read(
        self,
        type: DocumentType,
        *,
        url: str,
        media_id: UUID,
        file_name: str | None = None,
        content_type: str | None = None,
    ) -> Document | DocumentFailed:
        """Read the document. Its links are relative to `url`; `content_type` may name the encoding of a text."""
        asked = {
            "do": "read",
            "type": type,
            "url": url,
            "media_id": str(media_id),
            "file_name": file_name,
            "content_type": content_type,
            "max_bytes": self._readers.max_bytes,
            "seconds": self._readers.seconds,
        }
        outcome = await self._file.ask(asked, parse_document)
        if isinstance(outcome, Document):
            return replace(outcome, thumbnail=await self._make_thumbnail())
        return replace(LOST, is_transient=not self._file.has_crashed) if outcome is LOST else outcome

    async def read_image(self, url: str) -> bytes | None:
        """Return the image that a book's article names by this URL; None if the book does not have it."""
        return found(await self._file.ask({"do": "image", "url": url}, parse_bytes))

    async def draw_page(self, page: int, width: int) -> bytes | None:
        """Draw a page of a PDF, counted from 1, as WebP of this width; None if it cannot be drawn."""
        asked = {"do": "draw", "page": page, "width": width, "max_bytes": self._readers.max_bytes}
        return found(await self._file.ask(asked, parse_drawing))

    async def _make_thumbnail(self) -> bytes | None:
        seconds = min(THUMBNAIL_SECONDS, self._readers.seconds)
        return found(await self._file.ask({"do": "thumbnail"}, parse_drawing, seconds=seconds))


@dataclass(frozen=True, slots=True)
class DocumentReaders:
    """What reading a file may cost."""

    max_bytes: int
    seconds: float
    """Time for each answer of the process that reads it."""
    memory_bytes: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            max_bytes=settings.limits.max_document_bytes,
            seconds=settings.limits.document_read_seconds,
            memory_bytes=settings.limits.document_memory_bytes,
        )

    @asynccontextmanager
    async def start(self, stream: BinaryIO) -> AsyncIterator[DocumentReader]:
        """Start a process for a file that has a descriptor. The process ends with the block."""
        async with FileProgram("documents", self.memory_bytes, self.seconds, TOO_SLOW, LOST).start(stream) as file:
            yield DocumentReader(file, self)


def parse_document(frame: Frame) -> Document:
    article = parse_written(Article, frame)
    return parse_fields(Document, frame.header["document"], article=article, thumbnail=None)


def parse_drawing(frame: Frame) -> bytes | None:
    """Check that an image is WebP: a process that ran hostile bytes is not believed."""
    data = parse_bytes(frame)
    if data is not None and sniff_image(data) is not ImageFormat.WEBP:
        raise ValueError("a page that is no WebP")
    return data


def found(outcome: bytes | DocumentFailed | None) -> bytes | None:
    return None if isinstance(outcome, DocumentFailed) else outcome
