"""What a body is when it is no page, told by its first bytes: a name or a header may lie. Pure."""

from typing import Final

from kept.domain.failures import FailureCode

MESSAGES: Final = {
    FailureCode.FETCH_KIND_MISMATCH_PDF: "This is a PDF, not a web page.",
    FailureCode.FETCH_KIND_MISMATCH_EPUB: "This is an EPUB book, not a web page.",
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: "This is a file, not a web page.",
}

# Files that servers like to call text or nothing at all.
OTHER_FILES: Final = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"Rar!",
    b"7z\xbc\xaf",
    b"\x7fELF",
    b"ID3",
    b"OggS",
    b"fLaC",
)


HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", ""})


def is_html_type(content_type: str | None) -> bool:
    """Return whether the header calls it a page, or nothing at all."""
    return (content_type or "").partition(";")[0].strip().lower() in HTML_TYPES


def classify_drawn(html: str) -> FailureCode | None:
    """Return the failure of a file that a browser drew as a page: what is no markup is the text of its body."""
    return classify_body(html.partition("<body>")[2][:100].encode("latin-1", "replace"))


def classify_body(body: bytes) -> FailureCode | None:
    """Return the failure of a body that cannot be read as a page; None where it may be one."""
    head = body.lstrip(b"\xef\xbb\xbf\r\n\t ")[:80]
    if head.startswith(b"%PDF-"):
        return FailureCode.FETCH_KIND_MISMATCH_PDF
    if head.startswith(b"PK\x03\x04") and b"mimetypeapplication/epub+zip" in body[:100]:
        return FailureCode.FETCH_KIND_MISMATCH_EPUB
    if head.startswith(OTHER_FILES) or (head[:4] == b"RIFF" and head[8:12] in {b"WEBP", b"WAVE", b"AVI "}):
        return FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE
    return None
