"""Length-prefixed frames between Kept and its children: two lengths, a JSON header, a raw body.

The page and the article travel as the body, so that megabytes of HTML are not escaped as JSON.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

LENGTHS: Final = struct.Struct(">II")
MAX_HEADER_BYTES: Final = 8 * 1024 * 1024
MAX_BODY_BYTES: Final = 64 * 1024 * 1024


class FrameError(Exception):
    """What came is not a frame: the child is broken, or is no longer ours."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message, either way."""

    header: Mapping[str, Any]
    body: bytes = b""


def encode_frame(frame: Frame) -> bytes:
    header = json.dumps(frame.header, ensure_ascii=False, separators=(",", ":")).encode()
    return LENGTHS.pack(len(header), len(frame.body)) + header + frame.body


def parse_lengths(prefix: bytes) -> tuple[int, int]:
    """The header's and the body's length, if they are such as a child may send."""
    header_length, body_length = LENGTHS.unpack(prefix)
    if header_length > MAX_HEADER_BYTES or body_length > MAX_BODY_BYTES:
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


# --- for children: blocking, one message after the other ----------------------------------------------------------


def read_frame(stream: BinaryIO) -> Frame | None:
    prefix = stream.read(LENGTHS.size)
    if len(prefix) < LENGTHS.size:
        return None
    header_length, body_length = parse_lengths(prefix)
    header = stream.read(header_length)
    return parse_frame(header, stream.read(body_length))


def send(stream: BinaryIO, frame: Frame) -> None:
    stream.write(encode_frame(frame))
    stream.flush()
