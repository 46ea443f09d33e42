"""Decodes the bytes of a web page to text, as a browser would read them. It never raises, whatever the bytes.

The order of trust is a byte-order mark, HTTP's charset, `<meta>`, then detection; a label that the bytes disprove is
passed over (docs/decisions/0011). Labels mean what the WHATWG Encoding Standard says: `iso-8859-1` is windows-1252. The
text holds no NUL and no lone surrogate, so that every later step may encode it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import webencodings

# The standard prescans 1,024 bytes, but browsers also obey a <meta> they come upon later, and start again.
_PRESCAN_BYTES: Final = 8192
# Detection gains nothing beyond this, and is linear.
_DETECT_BYTES: Final = 64 * 1024
# How many of the bytes beyond ASCII may be unreadable before we believe that the label is wrong. A few
# pasted quotation marks in a UTF-8 page stay far below; Cyrillic, Latin-1 or Chinese bytes called UTF-8 are
# at .5 to 1.
_MAX_DAMAGE: Final = 0.1

# Each character beyond ASCII has at least one more byte than UTF-8's rules leave to chance. In Western encodings, where
# such bytes seldom stand side by side, three are proof; in those of two bytes a character, one pair in eight is valid.
_PROOF_OF_UTF8: Final = 16
_PROOF_OF_UTF8_NOT_WESTERN: Final = 3
_WESTERN: Final = frozenset({"windows-1252", "iso-8859-15", "iso-8859-2", "windows-1250", "windows-1254", "macintosh"})
# A page in UTF-8 with an advertisement or a signature in another encoding has that many more good characters than bad.
_GOOD_FOR_A_BAD_ONE: Final = 50

_HTTP_CHARSET: Final = re.compile(r"charset\s*+=\s*+\"?+\s*+([^\s\";,]+)", re.IGNORECASE)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META_CHARSET: Final = re.compile(rb"<meta\s[^>]{0,400}?charset\s*+=\s*+[\"']?+\s*+([\w:.-]{1,40})", re.IGNORECASE)
_XML_ENCODING: Final = re.compile(rb"\s*+<\?xml[^>]{0,200}?encoding\s*+=\s*+[\"']([\w:.-]{1,40})")
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_HIGH_BYTE: Final = re.compile(rb"[\x80-\xff]")
_NON_ASCII: Final = bytes(range(128, 256))
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
# Labels that browsers do not know, but pages and the detector use, as the label browsers know.
_OTHER_LABELS: Final = {
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "latin-1": "latin1",
    "uhc": "euc-kr",
    "utf-8-sig": "utf-8",
}
# The standard's names for what it refuses to decode (ISO-2022-KR, HZ), and for bytes that are no text.
_NOT_TEXT: Final = frozenset({"replacement", "x-user-defined"})


class EncodingSource(StrEnum):
    """How the encoding was found."""

    HTTP = "http"
    BOM = "bom"
    META = "meta"
    DETECTED = "detected"


@dataclass(frozen=True, slots=True)
class DecodedHtml:
    """A page's text, and how it was read. `encoding` is the WHATWG name."""

    text: str
    encoding: str
    source: EncodingSource


def decode_html(body: bytes, content_type: str | None = None) -> DecodedHtml:
    """Read a page's bytes; `content_type` is the HTTP header as it came, if there was one."""
    bom = _find_bom(body)
    if bom is not None:
        declared = _http_encoding(content_type)
        source = EncodingSource.HTTP if declared == bom else EncodingSource.BOM
        return DecodedHtml(_decode(body, bom)[0], bom, source)
    for encoding, source in _declared(body, content_type):
        if encoding != "utf-8" and _is_surely_utf8(body, encoding):
            break
        text, damage = _decode(body, encoding)
        if damage <= _MAX_DAMAGE:
            return DecodedHtml(text, encoding, source)
    encoding = _detect(body)
    return DecodedHtml(_decode(body, encoding)[0], encoding, EncodingSource.DETECTED)


def clean_unicode(text: str) -> str:
    """Remove NULs and lone surrogates, which no parser and no database takes."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def _declared(body: bytes, content_type: str | None) -> list[tuple[str, EncodingSource]]:
    found = [(_http_encoding(content_type), EncodingSource.HTTP), (_meta_encoding(body), EncodingSource.META)]
    return [(encoding, source) for encoding, source in found if encoding is not None]


def _find_encoding(label: str) -> str | None:
    """Return the standard name of the encoding a page calls `label`, or None if browsers know no such name."""
    label = label.strip(" \t\r\n\f\"'").lower()
    found = webencodings.lookup(_OTHER_LABELS.get(label, label)) if label.isascii() else None
    return found.name if found is not None and found.name not in _NOT_TEXT else None


def _python_codec(encoding: str) -> str:
    """Return Python's codec; browsers read gbk as gb18030, which has more characters."""
    found = webencodings.lookup("gb18030" if encoding == "gbk" else encoding)
    assert found is not None, encoding
    return found.codec_info.name


def _http_encoding(content_type: str | None) -> str | None:
    match = _HTTP_CHARSET.search(content_type or "")
    return _find_encoding(match[1]) if match else None


def _find_bom(body: bytes) -> str | None:
    return next((encoding for mark, encoding in _BOMS if body.startswith(mark)), None)


def _meta_encoding(body: bytes) -> str | None:
    head = _COMMENT.sub(b"", body[:_PRESCAN_BYTES])
    found = _META_CHARSET.search(head) or _XML_ENCODING.match(head)
    encoding = _find_encoding(found[1].decode("ascii", "replace")) if found else None
    # A <meta> that could be read as ASCII cannot be telling the truth about UTF-16.
    return "utf-8" if encoding in ("utf-16le", "utf-16be") else encoding


def _decode(body: bytes, encoding: str) -> tuple[str, float]:
    """Return the text, and the share of it that could not be read."""
    codec = _python_codec(encoding)
    damage = 0.0
    try:
        text = body.decode(codec)
    except UnicodeDecodeError:
        text = body.decode(codec, "replace")
        damage = _damage(body, text)
    return text.removeprefix("\ufeff").replace("\0", ""), damage  # no codec of the web makes lone surrogates


def _is_surely_utf8(body: bytes, declared: str) -> bool:
    """Return whether a body is UTF-8: a long text in another encoding is not nearly all valid UTF-8 by chance."""
    text = body.decode(errors="replace")
    # A body may be cut in the middle of its last character.
    lost = text.count("\ufffd") - text[-1:].count("\ufffd")
    good = len(text.encode()) - len(text) - 2 * text.count("\ufffd")
    needed = _PROOF_OF_UTF8_NOT_WESTERN if declared in _WESTERN and not lost else _PROOF_OF_UTF8
    return good >= needed and lost * _GOOD_FOR_A_BAD_ONE <= good


def _damage(body: bytes, text: str) -> float:
    """Return the unreadable share of what is not ASCII: plain markup says nothing about an encoding."""
    lost = text.count("\ufffd")
    if lost <= 2:
        return 0.0  # a body cut in the middle of a character
    beyond_ascii = len(body) - len(body.translate(None, _NON_ASCII))
    return lost / max(1, beyond_ascii)


def _detect(body: bytes) -> str:
    wide = _detect_utf16(body)
    if wide is not None:
        return wide
    if _decode(body, "utf-8")[1] <= _MAX_DAMAGE:
        return "utf-8"
    import cchardet  # only where bytes are decoded, in child processes

    label = cchardet.detect(_telling_part(body))["encoding"]
    # Detection names DOS and EBCDIC pages that the web does not have; windows-1252 is what browsers fall
    # back to.
    encoding = _find_encoding(label) if label else None
    return encoding if encoding not in (None, "ibm866", "utf-8") else "windows-1252"


def _detect_utf16(body: bytes) -> str | None:
    """Detect UTF-16 without a mark, which is markup with a zero in every other byte."""
    head = body[:512]
    if len(head) < 8 or head.count(0) < len(head) * 0.35:
        return None
    return "utf-16be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16le"


def _telling_part(body: bytes) -> bytes:
    """Return the part from about the first byte that is not ASCII: a long ASCII head would hide it."""
    match = _HIGH_BYTE.search(body)
    start = max(0, match.start() - 256) if match else 0
    return body[start : start + _DETECT_BYTES]
