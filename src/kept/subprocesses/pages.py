"""Card, document and images of a page saved as a file, whatever the file does to the process that reads it."""

import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, Self, TypeVar, cast

from kept.config import Settings
from kept.content.page.description import PageCard
from kept.domain.capture import FileKind
from kept.domain.errors import PageUnreadable, TooLarge
from kept.subprocesses.codec import parse_as, parse_bytes, parse_fields
from kept.subprocesses.file_reader import FileProgram, FileReader, Unreadable
from kept.subprocesses.frames import Frame

T = TypeVar("T")

TOO_SLOW: Final = Unreadable("Reading the page took too long.")
LOST: Final = Unreadable("The page could not be read: it takes too much memory, or is damaged.")
# A static page may be larger than the file it is made of: an image that is used twice is there twice.
STATIC_SHARE: Final = 2
LONGEST_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """What a file says about itself."""

    kind: FileKind
    digest: str
    """The digest of the file without gzip."""
    is_expanded: bool
    """Whether the file came as gzip."""
    card: PageCard


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The page's markup; images that the file contains have URLs, some of which we made up."""

    html: bytes
    base_url: str


class PageReader:
    """Reads one file in a process of its own. Each method may raise `PageUnreadable` or `TooLarge`."""

    def __init__(self, file: FileReader[Unreadable], readers: "PageReaders", output: BinaryIO) -> None:
        self._file, self._readers, self._output = file, readers, output

    async def open(self, url: str, *, is_article: bool = True) -> OpenedPage:
        """Open the page that was saved from `url`. With `is_article`, its markup must not exceed an article's limit."""
        asked = {
            "do": "open",
            "url": url,
            "max_bytes": self._readers.max_bytes,
            "max_document_bytes": self._readers.max_document_bytes if is_article else self._readers.max_bytes,
            "card_bytes": self._readers.card_bytes,
        }
        return await self._ask(asked, parse_opened)

    async def expand(self) -> BinaryIO:
        """Return the file without gzip, as a temporary file that lives as long as the reader."""
        return await self._write({"do": "expand"})

    async def make_static(self) -> BinaryIO:
        """Return the page as one document in which nothing runs or loads, as a temporary file like `expand`."""
        return await self._write({"do": "static", "max_bytes": STATIC_SHARE * self._readers.max_bytes})

    async def read_document(self) -> PageDocument:
        return await self._ask({"do": "document"}, parse_document)

    async def read_image(self, url: str) -> bytes | None:
        """Return the image that the document names by this URL; None if the file does not have it."""
        return await self._ask({"do": "image", "url": url}, parse_bytes)

    async def _write(self, asked: Mapping[str, object]) -> BinaryIO:
        await self._ask(asked, lambda frame: int(frame.header["bytes"]))
        self._output.seek(0)
        return self._output

    async def _ask(self, asked: Mapping[str, object], parse: Callable[[Frame], T]) -> T:
        outcome = await self._file.ask(asked, parse)
        if isinstance(outcome, Unreadable):
            raise (TooLarge if outcome.is_too_large else PageUnreadable)(outcome.reason[:LONGEST_REASON])
        return outcome


@dataclass(frozen=True, slots=True)
class PageReaders:
    """What reading a file may cost."""

    max_bytes: int
    max_document_bytes: int
    card_bytes: int
    seconds: float
    """Time for each answer of the process that reads it."""
    memory_bytes: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            max_bytes=settings.limits.max_page_upload_bytes,
            max_document_bytes=settings.limits.fetch_max_bytes,
            card_bytes=settings.limits.save_parse_bytes,
            seconds=settings.limits.page_read_seconds,
            memory_bytes=settings.limits.page_memory_bytes,
        )

    @asynccontextmanager
    async def start(self, stream: BinaryIO) -> AsyncIterator[PageReader]:
        """Start a process for a file that has a descriptor. The process ends with the block."""
        program = FileProgram("pages", self.memory_bytes, self.seconds, TOO_SLOW, LOST)
        with tempfile.TemporaryFile() as temporary:
            output = cast("BinaryIO", temporary)
            async with program.start(stream, output) as file:
                yield PageReader(file, self, output)


def parse_opened(frame: Frame) -> OpenedPage:
    opened = parse_fields(OpenedPage, frame.header)
    if len(opened.digest) != 64:
        raise ValueError("an answer without a digest")
    return opened


def parse_document(frame: Frame) -> PageDocument:
    return PageDocument(frame.body, parse_as(str, frame.header["base_url"]))
