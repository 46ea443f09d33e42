"""A page as it looked: which files there may be of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.failures import FailureCode
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media


class FileKind(StrEnum):
    """The kinds of file a whole page is uploaded in."""

    HTML = "html"
    MHTML = "mhtml"


class CaptureFormat(StrEnum):
    UPLOAD = "upload"
    """The file that somebody uploaded: HTML or MHTML, never shown as it is."""
    DOCUMENT = "document"
    """The file that a document is: a PDF, an e-book, text or an image."""
    MHTML = "mhtml"
    HTML = "html"
    """The static page made of MHTML or an upload: nothing in it runs or loads anything."""
    PNG = "png"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class Capture:
    media_id: UUID
    format: CaptureFormat
    blob_key: str
    content_type: str
    size: int
    created_at: datetime
    digest: str | None = None
    """The digest of an uploaded file or a document."""


@dataclass(frozen=True, slots=True)
class CaptureFailure:
    """Why the last visit brought no whole page."""

    code: FailureCode
    message: str
    failed_at: datetime


# The type of each, and what an uploaded MHTML and HTML is stored as.
MHTML_TYPE: Final = "multipart/related"
HTML_TYPE: Final = "text/html; charset=utf-8"
CONTENT_TYPES: Final = {
    CaptureFormat.MHTML: MHTML_TYPE,
    CaptureFormat.HTML: HTML_TYPE,
    CaptureFormat.PNG: "image/png",
    CaptureFormat.PDF: "application/pdf",
}


def explain_refusal(media: Media, *, is_kept: bool) -> str | None:
    """Return why no copy of the whole page can be made, or None. `is_kept`: whether this server keeps whole pages."""
    if not is_kept:
        return "This server keeps no whole pages."
    if media.is_document:
        return "This is a document, which is kept as its file."
    if media.is_private:
        return "This copy came as a file, which is its whole page."
    if media.processing_status in {ProcessingStatus.INVALID_URL, ProcessingStatus.BLOCKED}:
        return "This is not a web page that a browser may visit."
    return None
