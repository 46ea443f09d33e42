"""Reads MHTML, the one-file form in which browsers keep a whole page (RFC 2557). Pure, and linear in the file's length.

The standard library's `email` is not used: it builds a tree of messages, and takes minutes and gigabytes for a file
that is made for it. Parts inside parts, which browsers do not write, are not looked into.
"""

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from kept.domain.message import Message

# Pages with hundreds of images have hundreds of parts.
MAX_PARTS: Final = 5_000
MAX_HEADER_BYTES: Final = 16 * 1024
MAX_LOCATION: Final = 8_192

TOO_MANY_PARTS: Final = Message("The file has more than %(max_parts)s parts.", {"max_parts": f"{MAX_PARTS:,}"})
NO_BOUNDARY: Final = "The file doesn't say where its parts begin."
NO_PARTS: Final = "The file has no parts."
NO_PAGE: Final = "There is no page in the file."
BROKEN_OFF: Final = "The file breaks off before its end."

_HEADER_END: Final = re.compile(rb"\r?\n\r?\n")
_FOLD: Final = re.compile(r"\r?\n[ \t]++")
_PARAMETER: Final = re.compile(r";[ \t]*+([a-z-]{1,40})[ \t]*+=[ \t]*+(?:\"([^\"]{0,500})\"|([^\s;\"]{1,500}))", re.I)
_HEADER_LINE: Final = re.compile(rb"\s*+[A-Za-z][A-Za-z0-9-]{0,60}:")
_NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/]++")
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class BadMhtml:
    """The file cannot be read; the reason is for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """A file inside the MHTML file."""

    content_type: str
    """The content type in its header, with parameters."""
    location: str
    content_id: str
    encoding: str
    raw: memoryview = field(repr=False)

    @property
    def media_type(self) -> str:
        return self.content_type.partition(";")[0].strip().lower()

    def read(self) -> bytes:
        """Return its bytes; whatever cannot be decoded is left out."""
        match self.encoding:
            case "base64":
                return _read_base64(bytes(self.raw))
            case "quoted-printable":
                return binascii.a2b_qp(bytes(self.raw))
            case _:
                return bytes(self.raw)


@dataclass(frozen=True, slots=True)
class Mhtml:
    page: Part
    parts: tuple[Part, ...]


def looks_like_mhtml(data: bytes) -> bool:
    """Return whether it begins with the headers of a message."""
    head = data[:MAX_HEADER_BYTES]
    if not _HEADER_LINE.match(head):
        return False
    end = _HEADER_END.search(head)
    headers = head[: end.start()] if end else head
    return b"mime-version" in headers.lower() or b"multipart/related" in headers.lower()


def read_mhtml(data: bytes) -> Mhtml | BadMhtml:
    view = memoryview(data)
    headers, start = _read_headers(data, len(data) - len(data.lstrip()), len(data))
    told = _parameters(headers.get("content-type", ""))
    boundary = told.get("boundary", "")
    if not boundary or not boundary.isascii():
        return BadMhtml(NO_BOUNDARY)
    places = list(islice(_find_parts(data, start, boundary.encode()), MAX_PARTS + 1))
    if len(places) > MAX_PARTS:
        return BadMhtml(str(TOO_MANY_PARTS))
    if not places or None in places:
        return BadMhtml(BROKEN_OFF if places else NO_PARTS)
    parts = [_read_part(data, view, *place) for place in places if place is not None]
    page = _find_page(parts, told.get("start", ""))
    return Mhtml(page, tuple(parts)) if page is not None else BadMhtml(NO_PAGE)


def _find_page(parts: list[Part], start: str) -> Part | None:
    pages = [part for part in parts if part.media_type in _HTML]
    named = (part for part in pages if start and part.content_id == _strip_id(start))
    return next(named, pages[0] if pages else None)


def _find_parts(data: bytes, start: int, boundary: bytes) -> Iterator[tuple[int, int] | None]:
    """Yield where each part begins and ends; None where the file breaks off."""
    mark = b"--" + boundary
    at = data.find(mark, max(start - 2, 0))
    while at >= 0:
        begin = at + len(mark)
        if data[begin : begin + 2] == b"--":
            return
        following = data.find(b"\n" + mark, begin)
        if following < 0:
            yield None
            return
        line = data.find(b"\n", begin, following + 1)
        end = following - 1 if data[following - 1 : following] == b"\r" else following
        if line < end:
            yield line + 1, end
        at = following + 1


def _read_part(data: bytes, view: memoryview, begin: int, end: int) -> Part:
    headers, body = _read_headers(data, begin, end)
    return Part(
        headers.get("content-type", "application/octet-stream")[:500],
        headers.get("content-location", "")[:MAX_LOCATION],
        _strip_id(headers.get("content-id", ""))[:500],
        headers.get("content-transfer-encoding", "").lower(),
        view[body:end],
    )


def _strip_id(text: str) -> str:
    return text.strip().removeprefix("<").removesuffix(">")


def _read_headers(data: bytes, begin: int, end: int) -> tuple[Mapping[str, str], int]:
    """Return the headers from there on, and where their content begins."""
    limit = min(end, begin + MAX_HEADER_BYTES)
    if data[begin : begin + 1] == b"\n" or data[begin : begin + 2] == b"\r\n":
        return {}, begin + (1 if data[begin : begin + 1] == b"\n" else 2)
    match = _HEADER_END.search(data, begin, limit)
    text = data[begin : match.start() if match else limit].decode("utf-8", "replace")
    headers: dict[str, str] = {}
    for line in _FOLD.sub(" ", text).splitlines():
        name, _, value = line.partition(":")
        headers.setdefault(name.strip().lower(), value.strip())
    return headers, match.end() if match else limit


def _parameters(value: str) -> dict[str, str]:
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(value)}


def _read_base64(raw: bytes) -> bytes:
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:  # it broke off: what came before is worth having
        whole = _NOT_BASE64.sub(b"", raw)
        try:
            return binascii.a2b_base64(whole[: len(whole) // 4 * 4])
        except binascii.Error:
            return b""
