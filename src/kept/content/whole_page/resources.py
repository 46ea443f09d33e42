"""What a whole page is made of besides its markup: images, fonts and style sheets of its file, as `data:` URLs.

Nothing is ever fetched. There is room for so many bytes; what does not fit is left out, so that a page that names one
image a million times costs no more than another.
"""

import base64
import re
from collections.abc import Callable
from typing import Final

from kept.content.images.format import sniff_image
from kept.content.page.links import clean_url, resolve_http
from kept.content.whole_page.mhtml import Part
from kept.content.whole_page.page_file import PageFile, read_data_url

_DATA_TYPE: Final = re.compile(r"data:([a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,80})?[;,]", re.IGNORECASE)
_FONT_TYPES: Final = re.compile(
    r"font/[a-z0-9.+-]+|application/(?:x-)?font-[a-z0-9]+|application/vnd\.ms-(?:fontobject|opentype)"
)
_FONT_STARTS: Final = (b"wOFF", b"wOF2", b"OTTO", b"true", b"\x00\x01\x00\x00", b"ttcf")
SVG: Final = "image/svg+xml"
# Longer ones are `data:` URLs, which are seldom there twice.
MAX_KEY: Final = 2_000


class Resources:
    """The files inside a page's file."""

    def __init__(self, file: PageFile, room: int, clean_svg: Callable[[str], str | None]) -> None:
        self._file, self._clean_svg = file, clean_svg
        self.room = room
        self._known: dict[str, str | None] = {}

    def take(self, size: int) -> bool:
        """Reserve so many bytes; return whether there is room."""
        if size > self.room:
            return False
        self.room -= size
        return True

    def find_image(self, url: str, base_url: str) -> str | None:
        """Return an image as a `data:` URL, if the page's file holds it."""
        return self._find(f"image {url}", url, base_url, self._write_image)

    def find_asset(self, url: str, base_url: str) -> str | None:
        """Return an image or a font, for a style sheet."""
        return self._find(f"asset {url}", url, base_url, self._write_asset)

    def find_part(self, url: str, base_url: str) -> Part | None:
        cleaned = clean_url(url)
        if cleaned[:4].lower() != "cid:":
            cleaned = resolve_http(cleaned, base_url) or ""
        return self._file.find_part(cleaned) if cleaned else None

    def _find(self, key: str, url: str, base_url: str, write: Callable[[bytes, str], str | None]) -> str | None:
        """Return a `data:` URL, which is made once even if it is named often."""
        key = f"{base_url} {key}"
        if key not in self._known or len(key) > MAX_KEY:
            found = self._read(url, base_url)
            self._known[key[: MAX_KEY + 1]] = write(*found) if found is not None else None
        known = self._known[key[: MAX_KEY + 1]]
        return known if known is not None and self.take(len(known)) else None

    def _read(self, url: str, base_url: str) -> tuple[bytes, str] | None:
        cleaned = clean_url(url)
        if cleaned[:5].lower() == "data:":
            kind = _DATA_TYPE.match(cleaned)
            data = read_data_url(cleaned) if kind else None
            return (data, (kind[1] or "").lower()) if data is not None and kind is not None else None
        part = self.find_part(cleaned, base_url)
        return (part.read(), part.media_type) if part is not None else None

    def _write_asset(self, data: bytes, kind: str) -> str | None:
        return self._write_image(data, kind) or _write_font(data, kind)

    def _write_image(self, data: bytes, kind: str) -> str | None:
        """Write an image by what its bytes are, not by its declared type; a drawing is written anew."""
        if kind == SVG or data.lstrip()[:5] in (b"<?xml", b"<svg "):
            drawing = self._clean_svg(data.decode("utf-8", "replace"))
            return encode_data_url(SVG, drawing.encode()) if drawing is not None else None
        found = sniff_image(data)
        return encode_data_url(found.value, data) if found is not None else None


def _write_font(data: bytes, kind: str) -> str | None:
    if not data.startswith(_FONT_STARTS):
        return None
    return encode_data_url(kind if _FONT_TYPES.fullmatch(kind) else "font/woff2", data)


def encode_data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
