"""A page as it looked: which files there may be of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID


class CaptureFormat(StrEnum):
    UPLOAD = "upload"
    """The file that somebody uploaded: HTML or MHTML, never shown as it is."""
    MHTML = "mhtml"
    HTML = "html"
    """Made of the one or the other: nothing in it runs or loads anything."""
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


# The type of each, and what an uploaded MHTML and HTML is stored as.
MHTML_TYPE: Final = "multipart/related"
HTML_TYPE: Final = "text/html; charset=utf-8"
CONTENT_TYPES: Final = {
    CaptureFormat.MHTML: MHTML_TYPE,
    CaptureFormat.HTML: HTML_TYPE,
    CaptureFormat.PNG: "image/png",
    CaptureFormat.PDF: "application/pdf",
}
