"""Documents: files that are read like articles. What kinds of files there are, and what may be wrong with one."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kept.domain.failures import FailureCode


class DocumentType(StrEnum):
    """What a file is, told by its bytes; where bytes cannot tell (text), by its name or its content type."""

    PDF = "pdf"
    EPUB = "epub"
    TEXT = "text"
    MARKDOWN = "markdown"
    IMAGE = "image"


class DocumentProblem(StrEnum):
    """Why a file cannot be read. It is kept all the same."""

    ENCRYPTED = "encrypted"
    BROKEN = "broken"
    TOO_LARGE = "too_large"
    """It would take too much time or memory, or has more of something than anybody reads."""


PROBLEM_CODES: Final = {
    DocumentProblem.ENCRYPTED: FailureCode.DOCUMENT_ENCRYPTED,
    DocumentProblem.BROKEN: FailureCode.DOCUMENT_BROKEN,
    DocumentProblem.TOO_LARGE: FailureCode.DOCUMENT_TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A line of a document's own table of contents."""

    title: str
    page: int
    """From 1."""
    level: int
    """From 0."""


@dataclass(frozen=True, slots=True)
class PageSize:
    """In points, a 72nd of an inch; what matters is how the two compare."""

    width: int
    height: int
