"""A page as somebody saved it in their browser: HTML, MHTML, or gzip of either. Told by its content, not by its name.

Read in a child process alone (`subprocesses/workers.py`).
"""

import binascii
import hashlib
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_to_bytes

from kept.content.page.bounds import find_excess
from kept.content.page.decode import decode_html
from kept.content.page.kinds import classify_body
from kept.content.page.links import MAX_IMAGE_URL, resolve_http
from kept.content.whole_page.mhtml import BadMhtml, Mhtml, Part, looks_like_mhtml, read_mhtml
from kept.domain.capture import FileKind
from kept.domain.media import IN_FILE

GZIP: Final = b"\x1f\x8b"
# Shorter ones are blank pixels that stand in for an image that has yet to be loaded.
_DATA_IMAGE: Final = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon);base64,[A-Za-z0-9+/=%]{400,}+",
    re.IGNORECASE,
)
_LONG_DATA: Final = re.compile(r"data:[^\"'()<>\s]{400,}+", re.IGNORECASE)
_CID: Final = re.compile(r"cid:[^\"'()<>\s]{1,500}", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:!doctype|html|head|body|title|meta|div|p|article|main|section)\b", re.IGNORECASE)
# A page shows itself within its first characters, after comments.
_LOOKED_AT: Final = 256 * 1024
NOT_A_PAGE: Final = "This is neither HTML nor MHTML."
BROKEN_GZIP: Final = "The gzip file is damaged."
TOO_LARGE: Final = "The page is too large."
TOO_MUCH_TEXT: Final = "The page's own markup, without its images, is too large."


@dataclass(frozen=True, slots=True)
class BadPageFile:
    """The file cannot be taken for a page; the reason is for people."""

    reason: str
    is_too_large: bool = False


@dataclass(frozen=True, slots=True)
class PageFile:
    kind: FileKind
    content: bytes = field(repr=False)
    """The file itself, expanded."""
    html: str = field(repr=False)
    """The page's own markup."""
    base_url: str
    """The URL to which its relative URLs are relative."""
    by_url: Mapping[str, Part] = field(repr=False)
    by_id: Mapping[str, Part] = field(repr=False)

    @classmethod
    def empty(cls) -> "PageFile":
        return cls(FileKind.HTML, b"", "", "", {}, {})

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def find_part(self, url: str) -> Part | None:
        """Return the file inside the file that is at a URL, absolute or `cid:`."""
        if url[:4].lower() == "cid:":
            return self.by_id.get(url[4:])
        return self.by_url.get(url.partition("#")[0])


# --- images -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """The page's markup with a URL for each image that the file itself holds, and where those are."""

    html: str = field(repr=False)
    base_url: str
    images: Mapping[str, str] = field(repr=False)
    """The `data:` or `cid:` URL of each image, by the URL that stands for it."""


def expand(data: bytes, max_bytes: int) -> bytes | BadPageFile:
    """Decompress a file that is gzip, up to `max_bytes`."""
    if not data.startswith(GZIP):
        return data if len(data) <= max_bytes else BadPageFile(TOO_LARGE, is_too_large=True)
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(data, max_bytes + 1)
    except zlib.error:
        return BadPageFile(BROKEN_GZIP)
    if len(plain) > max_bytes:
        return BadPageFile(TOO_LARGE, is_too_large=True)
    return plain if unpacker.eof else BadPageFile(BROKEN_GZIP)


def open_page_file(data: bytes, url: str, *, max_bytes: int) -> PageFile | BadPageFile:
    """Open the page in a file that somebody saved from `url`."""
    plain = expand(data, max_bytes)
    if isinstance(plain, BadPageFile):
        return plain
    if looks_like_mhtml(plain):
        read = read_mhtml(plain)
        return BadPageFile(read.reason) if isinstance(read, BadMhtml) else _open_mhtml(plain, read, url)
    html = decode_html(plain).text if classify_body(plain) is None else ""
    if not _TAG.search(html[:_LOOKED_AT]):
        return BadPageFile(NOT_A_PAGE)
    excess = find_excess(html)
    return BadPageFile(excess) if excess is not None else PageFile(FileKind.HTML, plain, html, url, {}, {})


def _open_mhtml(plain: bytes, read: Mhtml, url: str) -> PageFile | BadPageFile:
    base = resolve_http(read.page.location, url) or url
    by_url: dict[str, Part] = {}
    for part in read.parts:
        location = resolve_http(part.location, base) if part.location else None
        if location is not None and part is not read.page:
            by_url.setdefault(location.partition("#")[0], part)
    by_id = {part.content_id: part for part in reversed(read.parts) if part.content_id}
    html = decode_html(read.page.read(), read.page.content_type).text
    excess = find_excess(html)
    return BadPageFile(excess) if excess is not None else PageFile(FileKind.MHTML, plain, html, base, by_url, by_id)


def make_document(file: PageFile) -> Document:
    """Make a document in which images inside the page have URLs, as an article's images do."""
    images: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        url = f"{IN_FILE}{hashlib.sha256(match[0].encode()).hexdigest()[:40]}"
        images[url] = match[0]
        return url

    html = _LONG_DATA.sub("data:,", _DATA_IMAGE.sub(name, file.html))
    if file.by_id:
        html = _CID.sub(lambda found: name(found) if found[0][4:] in file.by_id else found[0], html)
    return Document(html, file.base_url, images)


def read_image(file: PageFile, document: Document, url: str) -> bytes | None:
    """Return the image that the article knows by `url`, if the file has it."""
    given = document.images.get(url)
    if given is not None and given[:5].lower() == "data:":
        return read_data_url(given)
    part = file.find_part(given or resolve_http(url, file.base_url, max_length=MAX_IMAGE_URL) or "")
    return part.read() if part is not None else None


def read_data_url(url: str) -> bytes | None:
    """Return the bytes in a `data:` URL; None where they cannot be decoded."""
    head, comma, body = url.partition(",")
    if not comma:
        return None
    plain = unquote_to_bytes(body)
    if not head.rstrip().lower().endswith(";base64"):
        return plain
    try:
        return binascii.a2b_base64(plain)
    except binascii.Error:
        return None
