"""The wire format of every child process, Python or Node: two 32-bit lengths, a JSON header, a raw body.

Documents and images travel as the body, so that megabytes are not escaped as JSON.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    import asyncio  # only for types: it would cost each child 35 ms and 3 MB

LENGTHS: Final = struct.Struct(">II")
MAX_HEADER_BYTES: Final = 8 * 1024 * 1024
MAX_BODY_BYTES: Final = 64 * 1024 * 1024


class FrameError(Exception):
    """What came is not a frame, or no answer of ours: the child process is broken, or no longer does what we wrote."""


Header = Mapping[str, Any]
"""Parsed JSON that nobody has checked yet."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message between parent and child, in either direction."""

    header: Header
    body: bytes = b""


def encode_frame(frame: Frame) -> bytes:
    header = json.dumps(frame.header, ensure_ascii=False, separators=(",", ":")).encode()
    return LENGTHS.pack(len(header), len(frame.body)) + header + frame.body


def parse_lengths(prefix: bytes, max_body_bytes: int = MAX_BODY_BYTES) -> tuple[int, int]:
    """Return the lengths of header and body; too large ones are refused before anything is read."""
    header_length, body_length = LENGTHS.unpack(prefix)
    if header_length > MAX_HEADER_BYTES or body_length > max_body_bytes:
        raise FrameError(f"a frame of {header_length} + {body_length} bytes is too large")
    return header_length, body_length


def parse_frame(header: bytes, body: bytes) -> Frame:
    try:
        parsed = json.loads(header)
    except ValueError as error:
        raise FrameError(f"a frame's header is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise FrameError("a frame's header is not an object")
    return Frame(parsed, body)


async def receive_frame(reader: "asyncio.StreamReader", max_body_bytes: int = MAX_BODY_BYTES) -> Frame:
    """Read a frame; raise `FrameError`, or `IncompleteReadError` if the other end went away."""
    lengths = parse_lengths(await reader.readexactly(LENGTHS.size), max_body_bytes)
    header, body = [await reader.readexactly(length) for length in lengths]
    return parse_frame(header, body)


def read_frame(stream: BinaryIO) -> Frame | None:
    """Read a frame from a blocking stream; None if the stream ended before the frame did."""
    prefix = stream.read(LENGTHS.size)
    if len(prefix) < LENGTHS.size:
        return None
    lengths = parse_lengths(prefix)
    header, body = [stream.read(length) for length in lengths]
    return parse_frame(header, body) if (len(header), len(body)) == lengths else None
