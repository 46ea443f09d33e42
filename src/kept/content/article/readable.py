"""The port to Readability: a page in, the part worth reading out. `kept.subprocesses.sidecar` implements it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol


class ReadableCode(IntEnum):
    """How an attempt ended; the numbers are the exit codes that the Readability program is specified with."""

    OK = 0
    TIMED_OUT = 10
    NOT_READABLE = 12


@dataclass(frozen=True, slots=True)
class Readable:
    """What Readability made of a page: hostile HTML still, with classes and relative URLs."""

    html: str
    title: str | None = None
    byline: str | None = None
    dir: str | None = None
    lang: str | None = None
    excerpt: str | None = None
    site_name: str | None = None
    published_time: str | None = None
    is_exact: bool = False
    """Chosen by a site rule: nothing of it is pruned."""


@dataclass(frozen=True, slots=True)
class NotReadable:
    """Readability gave nothing, and why; `lost` when it was not the page's fault but the program ended."""

    code: ReadableCode
    message: str
    """For people."""
    lost: bool = False
    detail: str | None = None
    """For the log."""

    @property
    def is_final(self) -> bool:
        """Whether it was read, and nothing found."""
        return self.code is ReadableCode.NOT_READABLE and not self.lost


NO_ARTICLE: Final = "No article was found on the page."
COULD_NOT_BE_READ: Final = "Something went wrong while the page was read."
TOOK_TOO_LONG: Final = "Reading the page took too long."

Finish = Callable[[], Readable | NotReadable]


class Reader(Protocol):
    """Finds the article in a page."""

    def start(self, html: str, timeout_seconds: float) -> Finish:
        """Begin to read; call what is returned, once and before the next start, to wait for the outcome."""
        ...
