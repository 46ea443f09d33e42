"""What a file is: by its first bytes; only of text, which looks like nothing, by its type or its name. Pure."""

from typing import Final
from urllib.parse import unquote, urlsplit

from kept.content.images.format import SERVED, ImageFormat, sniff_image
from kept.content.page.text_cleaning import clean_line, shorten
from kept.domain.document import DocumentType

# The bytes of a file that tell what it is.
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
MAX_NAME: Final = 200
MAX_HEADER: Final = 2000
# A suffix is a few letters; what is longer belongs to the name ("report v1.final version").
MAX_SUFFIX: Final = 9


def recognise(head: bytes, content_type: str | None, file_name: str) -> DocumentType | None:
    """Recognise a document by its first `HEAD_BYTES`; None for pages, and for what is no document."""
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
    """Return whether this is no text: NUL is only in UTF-16, which Windows begins with a mark."""
    return b"\0" in head and not head.startswith(UTF_16_MARKS)


def recognise_text(media_type: str, file_name: str) -> DocumentType | None:
    is_named = file_name.endswith(TEXT_NAMES)
    if media_type in MARKDOWN_TYPES:
        return DocumentType.MARKDOWN
    if media_type == "text/plain" or (media_type in NO_TYPES and is_named):
        return DocumentType.MARKDOWN if file_name.endswith(MARKDOWN_NAMES) else DocumentType.TEXT
    return None


def looks_like_markup(start: bytes) -> bool:
    """Return whether this is a page, even if its server calls it text."""
    return start[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body"))


def recognise_type(media_type: str) -> DocumentType | None:
    """Return the type a server declares for a file whose bytes nobody has seen yet; it may be something else."""
    if media_type in PDF_TYPES:
        return DocumentType.PDF
    if media_type == "application/epub+zip":
        return DocumentType.EPUB
    return DocumentType.IMAGE if media_type in IMAGE_TYPES else None


def find_file_name(url: str, content_disposition: str | None = None) -> str:
    """Find a file's name in the header that came with it, or in its URL; it has no folders, and may be empty."""
    said = parse_disposition((content_disposition or "")[:MAX_HEADER])
    return clean_name(said) or clean_name(unquote(urlsplit(url).path.rpartition("/")[2]))


def clean_name(name: str) -> str:
    """Clean a file's name from a header, a URL or a form."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return shorten(clean_line(last[: 4 * MAX_NAME]), MAX_NAME)


def make_title(name: str) -> str | None:
    """Return the name without its suffix, for a file that has no title."""
    stem, dot, suffix = name.rpartition(".")
    named = stem if dot and 0 < len(suffix) <= MAX_SUFFIX and stem else name
    return " ".join(named.replace("_", " ").split()) or None


def parse_disposition(value: str) -> str:
    """Parse `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`; the second is preferred where both are there."""
    found: dict[str, str] = {}
    for part in value.split(";")[1:]:
        name, equals, said = part.partition("=")
        if equals:
            found.setdefault(name.strip().lower(), said.strip().strip('"'))
    charset, _, extended = found.get("filename*", "").partition("''")
    if extended and charset.lower() == "utf-8":
        return unquote(extended)
    return unquote(found.get("filename", ""))
