"""Documents for whoever keeps them: text and images, whatever the file does to the process that reads it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Final, Self, TypeVar
from uuid import UUID

from kept.config import Settings
from kept.content.documents.document import Document, DocumentFailed
from kept.content.images.format import ImageFormat, sniff_image
from kept.domain.document import DocumentProblem, DocumentType
from kept.subprocesses.document_codec import parse_document
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.process import ChildProcess, ProcessLost, WorkerProgram

T = TypeVar("T")

TOO_SLOW: Final = DocumentFailed(DocumentProblem.TOO_LARGE, "Reading the file took too long.", is_transient=True)
LOST: Final = DocumentFailed(
    DocumentProblem.BROKEN, "The file could not be read: it takes too much memory, or is damaged.", is_transient=True
)
# A first page that takes longer is not worth it: the text is there without.
THUMBNAIL_SECONDS: Final = 5.0


class DocumentReader:
    """One file, read in a process of its own. Nothing raises for what a file does; after it was lost once, there is
    nothing more to be had."""

    def __init__(self, process: ChildProcess | None, readers: "DocumentReaders") -> None:
        self._process, self._readers = process, readers

    @property
    def is_lost(self) -> bool:
        """The process ended, or was ended for taking too long."""
        return self._process is None

    async def read(
        self,
        type: DocumentType,
        *,
        url: str,
        media_id: UUID,
        file_name: str | None = None,
        content_type: str | None = None,
    ) -> Document | DocumentFailed:
        """`url`: what its links are relative to; `content_type`: for the encoding of a text."""
        asked = {
            "do": "read",
            "type": type.value,
            "url": url,
            "media_id": str(media_id),
            "file_name": file_name,
            "content_type": content_type,
            "max_bytes": self._readers.max_bytes,
            "seconds": self._readers.seconds,
        }
        outcome = await self._ask(asked, parse_document, self._readers.seconds)
        return replace(outcome, thumbnail=await self._make_thumbnail()) if isinstance(outcome, Document) else outcome

    async def read_image(self, url: str) -> bytes | None:
        """The image that the article of a book knows by this URL; None if the book has it not."""
        return found(await self._ask({"do": "image", "url": url}, parse_image, self._readers.seconds))

    async def draw_page(self, page: int, width: int) -> bytes | None:
        """A page of a PDF, from 1, as WebP of so many pixels' width; None if it cannot be drawn."""
        asked = {"do": "draw", "page": page, "width": width, "max_bytes": self._readers.max_bytes}
        return found(await self._ask(asked, parse_drawing, self._readers.seconds))

    async def _make_thumbnail(self) -> bytes | None:
        seconds = min(THUMBNAIL_SECONDS, self._readers.seconds)
        return found(await self._ask({"do": "thumbnail"}, parse_drawing, seconds))

    async def _ask(
        self, asked: Mapping[str, object], parse: Callable[[Frame], T], seconds: float
    ) -> T | DocumentFailed:
        if self._process is None:
            return LOST
        try:
            async with asyncio.timeout(seconds):
                return await self._process.ask(Frame(asked), parse)
        except TimeoutError:
            await self._end()
            return TOO_SLOW
        except ProcessLost:
            process = self._process
            await self._end()
            return replace(LOST, is_transient=not process.crashed)

    async def _end(self) -> None:
        """What it still has to say would be taken for the answer to the next question."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.shield(process.kill())


@dataclass(frozen=True, slots=True)
class DocumentReaders:
    """What reading a file may cost."""

    max_bytes: int
    seconds: float
    """For each answer of the process that reads it."""
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
        """For a file with a descriptor. The process ends with the block; where none starts, reading fails as lost."""
        descriptor = stream.fileno()
        program = WorkerProgram(
            "kept.subprocesses.document_worker",
            self.memory_bytes,
            (str(descriptor),),
            inherited_descriptors=(descriptor,),
        )
        try:
            process = await program.start()
        except ProcessLost:
            yield DocumentReader(None, self)
            return
        try:
            yield DocumentReader(process, self)
        finally:
            await asyncio.shield(process.kill())


def parse_image(frame: Frame) -> bytes | None:
    return frame.body if frame.header.get("found") is True else None


def parse_drawing(frame: Frame) -> bytes | None:
    """A process that ran hostile bytes is not believed: what it calls WebP is looked at."""
    data = parse_image(frame)
    if data is not None and sniff_image(data) is not ImageFormat.WEBP:
        raise FrameError("a page that is no WebP")
    return data


def found(outcome: bytes | DocumentFailed | None) -> bytes | None:
    return None if isinstance(outcome, DocumentFailed) else outcome
