"""Headers and body of an answer, read into plain values and never further than was asked for."""

import asyncio
import tempfile
from collections.abc import Callable
from typing import BinaryIO, Final, NamedTuple, cast

import aiohttp

from kept.content.documents.recognise import HEAD_BYTES
from kept.fetch.decoding import BadEncoding, Decoder, make_decoder

# Challenge pages are some 30 kB. A server that trickles its error page is not worth waiting for.
ERROR_BODY_BYTES: Final = 256 * 1024
ERROR_BODY_SECONDS: Final = 2.0


class ReadBody(NamedTuple):
    content: bytes
    truncated: bool
    """Whether reading stopped at our limit."""
    is_complete: bool = True
    """Whether the body is whole; False for an encoded stream that broke off."""
    file: BinaryIO | None = None
    """The whole body as a file, where `content` is only its beginning."""


def read_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Return the headers by lower-case name, repeated ones joined, without cookies."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        text = value if value.isascii() else replace_stray_bytes(value)
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    headers.pop("set-cookie", None)
    return headers


def replace_stray_bytes(value: str) -> str:
    """Replace bytes that are not UTF-8, which aiohttp returns as surrogates that no database would take."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def read_body(
    response: aiohttp.ClientResponse,
    decoder: Decoder,
    max_bytes: int,
    on_progress: Callable[[], None],
    pieces: list[bytes],
) -> ReadBody:
    """Read the body into memory; `pieces` holds what came so far, for a caller who is interrupted."""
    truncated = await receive(response, decoder, max_bytes, on_progress, pieces.append)
    return ReadBody(b"".join(pieces), truncated, is_complete=truncated or decoder.is_complete)


async def read_file(
    response: aiohttp.ClientResponse, decoder: Decoder, max_bytes: int, on_progress: Callable[[], None]
) -> ReadBody:
    """Read a body that may be too large for memory into a file."""
    file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 whoever asked closes it
    truncated = await receive(response, decoder, max_bytes, on_progress, file.write)
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return ReadBody(head, truncated, is_complete=truncated or decoder.is_complete, file=file)


async def receive(
    response: aiohttp.ClientResponse,
    decoder: Decoder,
    max_bytes: int,
    on_progress: Callable[[], None],
    take: Callable[[bytes], object],
) -> bool:
    """Receive at most `max_bytes`, decoded or encoded, since a body may decode to nothing; return whether there was
    more."""
    room = max_bytes
    received = 0
    while chunk := await response.content.readany():
        on_progress()
        received += len(chunk)
        for piece in decoder.decode(chunk):
            take(piece[:room])
            if len(piece) > room:
                return True
            room -= len(piece)
        if received > max_bytes:
            return True
    return False


async def read_error_body(response: aiohttp.ClientResponse, headers: dict[str, str]) -> bytes:
    """Return the beginning of an error page, or nothing."""
    try:
        async with asyncio.timeout(ERROR_BODY_SECONDS):
            decoder = make_decoder(headers.get("content-encoding", ""))
            return (await read_body(response, decoder, ERROR_BODY_BYTES, lambda: None, [])).content
    except (BadEncoding, aiohttp.ClientError, OSError):
        return b""
