"""The wire between a worker and its browser child: length-prefixed JSON, then the binary parts it announces.

Both ends import this module and nothing heavier, so that the child starts fast. Sizes are checked before
anything is read: the child works next to hostile pages and is not trusted to be brief.
"""

import asyncio
import dataclasses
import json
import struct
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

PREFIX: Final = struct.Struct(">I")
MAX_HEADER_BYTES: Final = 64 * 1024
MAX_PARTS: Final = 2


class FrameError(Exception):
    """The other end sent something that is no message of ours."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The first message to a child: which browser to start, and how."""

    executable: str
    sandbox: bool
    proxy: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Launched:
    version: str
    launch_ms: int


@dataclass(frozen=True, slots=True)
class Order:
    """One page to visit. `seconds` is what the child may spend; the worker's patience is a little longer."""

    url: str
    want_html: bool
    want_screenshot: bool
    seconds: float
    settle_seconds: float
    user_agent: str
    proxy: str
    proxy_username: str
    proxy_password: str
    max_html_chars: int


class Trouble(StrEnum):
    """What stopped a visit, as the child saw it."""

    NAVIGATION = "navigation"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    MOVED_AWAY = "moved_away"
    TOO_LARGE = "too_large"
    DOWNLOAD = "download"
    BROWSER = "browser"

    @property
    def spoils_the_browser(self) -> bool:
        """After such a visit nobody can say what the browser is still busy with: it is ended."""
        return self in {Trouble.TIMED_OUT, Trouble.CRASHED, Trouble.BROWSER}


@dataclass(frozen=True, slots=True)
class Seen:
    """The page was drawn. Its HTML, then its thumbnail, follow as binary parts if they were asked for."""

    final_url: str
    status: int
    headers: dict[str, str]
    title: str
    redirects: int
    navigate_ms: int
    settle_ms: int
    capture_ms: int
    thumbnail_width: int
    thumbnail_height: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The page was not drawn. `url` is the address the browser was at; `detail` holds Chromium's error."""

    trouble: Trouble
    url: str
    detail: str
    status: int
    headers: dict[str, str]


type_of: Final[dict[str, type[Any]]] = {
    "launch": Launch,
    "launched": Launched,
    "order": Order,
    "seen": Seen,
    "failed": Failed,
}
name_of: Final = {kind: name for name, kind in type_of.items()}
Message = Launch | Launched | Order | Seen | Failed


def encode(message: Message, *parts: bytes) -> bytes:
    body = {
        "kind": name_of[type(message)],
        "parts": [len(part) for part in parts],
        "fields": dataclasses.asdict(message),
    }
    header = json.dumps(body).encode()
    return b"".join((PREFIX.pack(len(header)), header, *parts))


async def read_message(reader: asyncio.StreamReader, *, max_part_bytes: int) -> tuple[Message, list[bytes]]:
    """Raises `FrameError` for nonsense and `IncompleteReadError` where the other end went away."""
    (size,) = PREFIX.unpack(await reader.readexactly(PREFIX.size))
    if size > MAX_HEADER_BYTES:
        raise FrameError(f"a header of {size} bytes")
    message, lengths = parse_header(await reader.readexactly(size))
    if len(lengths) > MAX_PARTS or any(not 0 <= length <= max_part_bytes for length in lengths):
        raise FrameError(f"parts of {lengths} bytes")
    return message, [await reader.readexactly(length) for length in lengths]


def parse_header(header: bytes) -> tuple[Message, list[int]]:
    try:
        body = json.loads(header)
        message = type_of[body["kind"]](**body["fields"])
        lengths = [int(length) for length in body["parts"]]
    except (ValueError, KeyError, TypeError) as error:
        raise FrameError(str(error)) from None
    if isinstance(message, Failed):
        message = dataclasses.replace(message, trouble=Trouble(message.trouble))
    return message, lengths
