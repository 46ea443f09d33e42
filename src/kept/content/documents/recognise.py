"""What a file is: by its first bytes; only of text, which looks like nothing, by its type or its name. Pure."""

from typing import Final

from kept.content.images.format import SERVED, ImageFormat, sniff_image
from kept.domain.document import DocumentType

# As much of a file as tells what it is.
HEAD_BYTES: Final = 4096
# Some programs write a line of their own before a PDF; readers look for its mark in so many bytes.
PDF_MARK_WITHIN: Final = 1024
SPACE: Final = b"\xef\xbb\xbf\r\n\t "
UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
PDF_TYPES: Final = frozenset({"application/pdf", "application/x-pdf"})
IMAGE_TYPES: Final = frozenset(kind.value for kind in SERVED)
MARKDOWN_TYPES: Final = frozenset({"text/markdown", "text/x-markdown"})
# What servers call a file of which they know nothing.
NO_TYPES: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})
MARKDOWN_NAMES: Final = (".md", ".markdown", ".mdown")
TEXT_NAMES: Final = (".txt", ".text", *MARKDOWN_NAMES)


def recognise(head: bytes, content_type: str | None, file_name: str) -> DocumentType | None:
    """`head`: its first `HEAD_BYTES`; None for pages, and for what is no document."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    start = head.lstrip(SPACE)
    if start.startswith(b"%PDF-") or (media_type in PDF_TYPES and b"%PDF-" in head[:PDF_MARK_WITHIN]):
        return DocumentType.PDF
    if start.startswith(b"PK\x03\x04") and b"mimetypeapplication/epub+zip" in head[:100]:
        return DocumentType.EPUB
    image = sniff_image(head)
    if image is not None:
        return DocumentType.IMAGE if image is not ImageFormat.ICO else None
    return None if looks_like_markup(start) or is_binary(head) else recognise_text(media_type, file_name.lower())


def is_binary(head: bytes) -> bool:
    """NUL stands in no text but UTF-16, which Windows writes with a mark at its beginning."""
    return b"\0" in head and not head.startswith(UTF_16_MARKS)


def recognise_text(media_type: str, file_name: str) -> DocumentType | None:
    is_named = file_name.endswith(TEXT_NAMES)
    if media_type in MARKDOWN_TYPES:
        return DocumentType.MARKDOWN
    if media_type == "text/plain" or (media_type in NO_TYPES and is_named):
        return DocumentType.MARKDOWN if file_name.endswith(MARKDOWN_NAMES) else DocumentType.TEXT
    return None


def looks_like_markup(start: bytes) -> bool:
    """A page that its server calls text."""
    return start[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body"))


def recognise_type(media_type: str) -> DocumentType | None:
    """What a server calls a file whose bytes nobody has seen yet; it may be something else."""
    if media_type in PDF_TYPES:
        return DocumentType.PDF
    if media_type == "application/epub+zip":
        return DocumentType.EPUB
    return DocumentType.IMAGE if media_type in IMAGE_TYPES else None
