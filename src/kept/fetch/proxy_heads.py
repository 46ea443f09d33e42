"""Reads and rewrites the heads of HTTP/1.1 messages that pass the browser's proxy. Bytes in, values out.

Strict on purpose: only our own Chromium speaks to the proxy, and what it never says is refused.
"""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kept.urls.url import NormalisedUrl, parse_url

REQUEST_LINE: Final = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.[01]")
HEADER_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*+([^\x00\r\n]*)")
STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?")
ABSOLUTE_FORM: Final = re.compile(rb"http://([^/?#]*)([/?][^#]*)?(?:#.*)?", re.IGNORECASE)
# Meant for the next hop only (RFC 9110 §7.6.1). Upgrade is among them: a WebSocket comes as a CONNECT.
HOP_BY_HOP: Final = frozenset(
    {b"connection", b"proxy-connection", b"keep-alive", b"proxy-authorization", b"te", b"trailer", b"upgrade"}
)

Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a browser's request: for a tunnel if `path` is None, else for one request."""

    method: bytes
    url: NormalisedUrl
    """The host and port to connect to; its path is of no use."""
    authority: bytes
    path: bytes | None
    headers: tuple[Header, ...]

    def find(self, name: bytes) -> bytes | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def credentials(self) -> tuple[str, str] | None:
        scheme, _, encoded = (self.find(b"proxy-authorization") or b"").partition(b" ")
        if scheme.lower() != b"basic":
            return None
        try:
            username, separator, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return (username, password) if separator else None

    @property
    def body_length(self) -> int | None:
        """The length of the body; None where it cannot be known. Chromium sends it with every body in HTTP/1.1."""
        lengths = {value for key, value in self.headers if key.lower() == b"content-length"}
        if self.find(b"transfer-encoding") is not None or len(lengths) > 1:
            return None
        length = lengths.pop() if lengths else b"0"
        return int(length) if re.fullmatch(rb"[0-9]{1,12}", length) else None


def parse_request(head: bytes) -> RequestHead | None:
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    request = REQUEST_LINE.fullmatch(line)
    headers = parse_headers(rest)
    if request is None or headers is None:
        return None
    method, target = request.groups()
    if method == b"CONNECT":
        return parse_tunnel(target, headers)
    return parse_absolute(method, target, headers)


def parse_headers(lines: Iterable[bytes]) -> tuple[Header, ...] | None:
    matches = [HEADER_LINE.fullmatch(line) for line in lines]
    if None in matches:
        return None
    return tuple((match[1], match[2].rstrip(b" \t")) for match in matches if match is not None)


def parse_tunnel(authority: bytes, headers: tuple[Header, ...]) -> RequestHead | None:
    if not re.search(rb":[0-9]+$", authority) or re.search(rb"[/?#]", authority):
        return None
    url = parse_url(f"https://{authority.decode('ascii')}/")
    return RequestHead(b"CONNECT", url, authority, None, headers) if isinstance(url, NormalisedUrl) else None


def parse_absolute(method: bytes, target: bytes, headers: tuple[Header, ...]) -> RequestHead | None:
    match = ABSOLUTE_FORM.fullmatch(target)
    if match is None:
        return None
    authority, path = match[1], match[2] or b"/"
    url = parse_url(f"http://{authority.decode('ascii')}/")
    if not isinstance(url, NormalisedUrl):
        return None
    path = path if path.startswith(b"/") else b"/" + path
    return RequestHead(method, url, authority, path, headers)


def rewrite_request(head: RequestHead) -> bytes:
    """Rewrite a request for the site: in origin form, one a connection, without headers for the proxy."""
    assert head.path is not None
    kept = [header for header in head.headers if is_end_to_end(header) and header[0].lower() != b"host"]
    return join_head(
        b"%s %s HTTP/1.1" % (head.method, head.path),
        [(b"Host", head.authority), *kept, (b"Connection", b"close")],
    )


@dataclass(frozen=True, slots=True)
class ResponseHead:
    status: int
    line: bytes
    headers: tuple[Header, ...]

    @property
    def is_interim(self) -> bool:
        return 100 <= self.status < 200 and self.status != 101

    @property
    def redirect_target(self) -> bytes | None:
        if not 300 <= self.status < 400:
            return None
        return next((value for key, value in self.headers if key.lower() == b"location"), None)


def parse_response(head: bytes) -> ResponseHead | None:
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    status = STATUS_LINE.fullmatch(line)
    headers = parse_headers(rest)
    return ResponseHead(int(status[1]), line, headers) if status is not None and headers is not None else None


def rewrite_response(head: ResponseHead) -> bytes:
    """Rewrite a response so that the browser sends no further request, for whatever host, into this connection."""
    kept = [header for header in head.headers if is_end_to_end(header)]
    return join_head(head.line, kept if head.is_interim else [*kept, (b"Connection", b"close")])


def is_end_to_end(header: Header) -> bool:
    return header[0].lower() not in HOP_BY_HOP


def join_head(line: bytes, headers: Iterable[Header]) -> bytes:
    return b"\r\n".join((line, *(b"%s: %s" % header for header in headers), b"", b""))
