"""Pages that somebody saved as a file: card, document, images, whatever the file does to the process that reads it."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, Self, TypeVar, cast

from kept.config import Settings
from kept.content.page.description import PageCard
from kept.content.whole_page.page_file import FileKind
from kept.domain.errors import KeptError, PageUnreadable, TooLarge
from kept.subprocesses.card_pool import parse_answer as parse_card
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.process import ChildProcess, ProcessLost, WorkerProgram

T = TypeVar("T")

TOO_SLOW: Final = "Reading the page took too long."
# A static page may be larger than the file it is made of: an image that is used twice is there twice.
STATIC_SHARE: Final = 2
LOST: Final = "The page could not be read: it takes too much memory, or is damaged."


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """What a file says of itself."""

    kind: FileKind
    digest: str
    """Of the file without gzip."""
    is_expanded: bool
    """It came as gzip."""
    card: PageCard


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The page's markup; images that the file holds have URLs, of which some are of our own making."""

    html: bytes
    base_url: str


class PageReader:
    """One file, read in a process of its own. Each method raises `PageUnreadable` or `TooLarge`."""

    def __init__(self, process: ChildProcess, readers: "PageReaders", output: BinaryIO) -> None:
        self._process, self._readers, self._output = process, readers, output

    async def open(self, url: str, *, is_article: bool = True) -> OpenedPage:
        """The page that was saved from `url`; `is_article`: its markup must not be larger than an article's page."""
        asked = {
            "do": "open",
            "url": url,
            "max_bytes": self._readers.max_bytes,
            "max_document_bytes": self._readers.max_document_bytes if is_article else self._readers.max_bytes,
            "card_bytes": self._readers.card_bytes,
        }
        return await self._ask(asked, parse_opened)

    async def expand(self) -> BinaryIO:
        """The file without gzip, as a file of ours that lives as long as the reader."""
        return await self._write({"do": "expand"})

    async def make_static(self) -> BinaryIO:
        """The whole page as one document in which nothing runs or loads, likewise."""
        return await self._write({"do": "static", "max_bytes": STATIC_SHARE * self._readers.max_bytes})

    async def read_document(self) -> PageDocument:
        return await self._ask({"do": "document"}, parse_document)

    async def read_image(self, url: str) -> bytes | None:
        """The image that the document knows by this URL; None if the file has it not."""
        return await self._ask({"do": "image", "url": url}, parse_image)

    async def _write(self, asked: Mapping[str, object]) -> BinaryIO:
        await self._ask(asked, lambda frame: int(frame.header["bytes"]))
        self._output.seek(0)
        return self._output

    async def _ask(self, asked: Mapping[str, object], parse: Callable[[Frame], T]) -> T:
        try:
            async with asyncio.timeout(self._readers.seconds):
                return await self._process.ask(Frame(asked), lambda frame: parse(refuse_unreadable(frame)))
        except TimeoutError:
            raise PageUnreadable(TOO_SLOW) from None
        except ProcessLost as error:
            raise PageUnreadable(LOST) from error


@dataclass(frozen=True, slots=True)
class PageReaders:
    """What reading a file may cost."""

    max_bytes: int
    max_document_bytes: int
    card_bytes: int
    seconds: float
    """For each answer of the process that reads it."""
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
        """For a file with a descriptor. The process ends with the block."""
        with tempfile.TemporaryFile() as output:
            descriptors = (stream.fileno(), output.fileno())
            program = WorkerProgram(
                "kept.subprocesses.page_worker",
                self.memory_bytes,
                tuple(map(str, descriptors)),
                inherited_descriptors=descriptors,
            )
            try:
                process = await program.start()
            except ProcessLost as error:
                raise PageUnreadable(LOST) from error
            try:
                yield PageReader(process, self, cast("BinaryIO", output))
            finally:
                await asyncio.shield(process.kill())


def refuse_unreadable(frame: Frame) -> Frame:
    reason = frame.header.get("unreadable")
    if reason is not None:
        refusal: type[KeptError] = TooLarge if frame.header.get("is_too_large") is True else PageUnreadable
        raise refusal(str(reason)[:500])
    return frame


def parse_opened(frame: Frame) -> OpenedPage:
    card = parse_card(frame)
    try:
        kind, digest = FileKind(frame.header["file"]), str(frame.header["digest"])
    except (KeyError, ValueError) as error:
        raise FrameError(f"an answer that makes no sense: {error}") from None
    if card is None or len(digest) != 64:
        raise FrameError("an answer without a card or a digest")
    return OpenedPage(kind, digest, frame.header.get("is_expanded") is True, card)


def parse_document(frame: Frame) -> PageDocument:
    base_url = frame.header.get("base_url")
    if not isinstance(base_url, str):
        raise FrameError("a document without a URL")
    return PageDocument(frame.body, base_url)


def parse_image(frame: Frame) -> bytes | None:
    return frame.body if frame.header.get("found") is True else None
