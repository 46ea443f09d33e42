"""Documents: files that are read like articles. What kinds of files there are, and what may be wrong with one."""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import quote

from kept.domain.failures import FailureCode
from kept.domain.media import Media, MediaKind


class DocumentType(StrEnum):
    """The type of a file, decided by its bytes, or by name or content type where bytes cannot tell (text)."""

    PDF = "pdf"
    EPUB = "epub"
    TEXT = "text"
    MARKDOWN = "markdown"
    IMAGE = "image"

    @property
    def kind(self) -> MediaKind:
        return MediaKind.TEXT if self is DocumentType.MARKDOWN else MediaKind(self.value)


class DocumentProblem(StrEnum):
    """Why a file cannot be read; it is kept all the same."""

    ENCRYPTED = "encrypted"
    BROKEN = "broken"
    TOO_LARGE = "too_large"
    """The file would take too much time or memory, or has more of something than anybody reads."""


PROBLEM_CODES: Final = {
    DocumentProblem.ENCRYPTED: FailureCode.DOCUMENT_ENCRYPTED,
    DocumentProblem.BROKEN: FailureCode.DOCUMENT_BROKEN,
    DocumentProblem.TOO_LARGE: FailureCode.DOCUMENT_TOO_LARGE,
}


# What a file is stored and served as, whatever its site or its name says; an image has the type of its format.
CONTENT_TYPES: Final = {
    DocumentType.PDF: "application/pdf",
    DocumentType.EPUB: "application/epub+zip",
    DocumentType.TEXT: "text/plain",
    DocumentType.MARKDOWN: "text/markdown",
}
EXTENSIONS: Final = {
    "application/pdf": "pdf",
    "application/epub+zip": "epub",
    "text/plain": "txt",
    "text/markdown": "md",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
}


def type_of(content_type: str) -> DocumentType:
    """Return the type of a stored file."""
    return next((kind for kind, named in CONTENT_TYPES.items() if named == content_type), DocumentType.IMAGE)


def hands_out_file(media: Media) -> bool:
    """Return whether the file may be handed out: an image tells where it was taken until it was made safe."""
    return media.kind != MediaKind.IMAGE or media.is_readable


def is_shown_inline(content_type: str) -> bool:
    """Return whether browsers show such a file without running anything in it."""
    return content_type == "application/pdf" or content_type.startswith("image/")


# The URL of an uploaded file without one of its own: a name that no name server will ever know.
UPLOADS: Final = "https://uploads.invalid/"


def make_upload_url(digest: str, file_name: str) -> str:
    """Return the URL of an uploaded file, which is the same for the same file."""
    return f"{UPLOADS}{digest[:32]}/{quote(file_name or 'file', safe='')}"


def is_upload_url(url: str) -> bool:
    return url.startswith(UPLOADS)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A line of a document's own table of contents."""

    title: str
    page: int
    """The page, counted from 1."""
    level: int
    """The level, counted from 0."""


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page's size in points, a 72nd of an inch; only the ratio of the two matters."""

    width: int
    height: int


# Pixels: a page beside its text on a double-density screen.
PAGE_WIDTH: Final = 1200


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is stored of a document beside its text and its file."""

    type: DocumentType
    page_count: int
    page_sizes: tuple[PageSize, ...]
    page_starts: tuple[int, ...]
    """The offsets in the canonical text at which pages or chapters begin."""
    outline: tuple[OutlineEntry, ...]
    running_text: str
    has_text: bool
    is_cut: bool

    def find_page(self, offset: int) -> int | None:
        """Return the page that contains this offset of the text; None where there are no pages."""
        return bisect_right(self.page_starts, offset) or None if self.page_count else None
