"""The limits of one fetch: for a save that a person waits for, for a worker, and for an image."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final

from kept.config import Settings

PAGE_ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
IMAGE_ACCEPT: Final = "image/avif,image/webp,image/png,image/jpeg,image/gif;q=0.9,*/*;q=0.1"
# What may turn out to be a page. Some servers call everything an octet stream; the content decides then.
PAGE_CONTENT: Final = ("text/", "application/xhtml+xml", "application/xml", "application/octet-stream")
# Types that are no page, but may be a document; and those that only the bytes can tell.
FILE_CONTENT: Final = (
    "application/pdf",
    "application/x-pdf",
    "application/epub+zip",
    "text/plain",
    "text/markdown",
    "image/",
    "application/octet-stream",
    "binary/octet-stream",
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of a fetch. `total_seconds` covers everything, from the wait for a free slot to the last byte."""

    total_seconds: float
    connect_seconds: float
    read_seconds: float
    max_bytes: int
    """The most bytes of the body, decoded."""
    max_redirects: int = 5
    accept: str = PAGE_ACCEPT
    content: tuple[str, ...] | None = PAGE_CONTENT
    """The beginnings of accepted media types; an answer that declares another is not read. None accepts anything."""
    follows_refresh: bool = True
    """Whether a `<meta http-equiv=refresh>` is followed like a redirect."""
    truncate: bool = False
    """Whether the beginning of a body that is too large is kept, and marked, instead of failing."""
    max_file_bytes: int | None = None
    """The most bytes of a file, which is written to disk; None accepts pages only."""

    def accepts(self, media_type: str) -> bool:
        return self.content is None or not media_type or media_type.startswith(self.content) or self.is_file(media_type)

    def is_file(self, media_type: str) -> bool:
        return self.max_file_bytes is not None and media_type.startswith(FILE_CONTENT)


class Slots:
    """At most `limit` holders of a key at a time, in turn, such as requests to one host or for one user.

    Whoever acquires must release. It is a semaphore for each key, but taking a free slot, as every request does, is two
    look-ups, and keys nobody holds take no memory.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def acquire(self, key: str) -> None:
        held = self._held.get(key, 0)
        if held < self._limit:
            self._held[key] = held + 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the slot was handed over in the moment of cancellation
                self.release(key)
            raise

    def release(self, key: str) -> None:
        """Release a slot to whoever waits longest; only if nobody does it becomes free."""
        waiting = self._waiting.get(key)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(key, None)
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]

    def __len__(self) -> int:
        return len(self._held)


def save_limits(settings: Settings) -> FetchLimits:
    """Return the limits of a save. It truncates: the card is made from the head of a page, which half a page has."""
    return FetchLimits(
        total_seconds=settings.limits.save_fetch_seconds,
        connect_seconds=settings.limits.save_fetch_seconds,
        read_seconds=settings.limits.save_fetch_seconds,
        max_bytes=settings.limits.save_max_bytes,
        max_redirects=settings.limits.fetch_max_redirects,
        truncate=True,
    )


def worker_limits(settings: Settings, *, accepts_documents: bool = False) -> FetchLimits:
    return FetchLimits(
        total_seconds=settings.limits.job_seconds,
        connect_seconds=settings.limits.fetch_connect_seconds,
        read_seconds=settings.limits.fetch_read_seconds,
        max_bytes=settings.limits.fetch_max_bytes,
        max_redirects=settings.limits.fetch_max_redirects,
        max_file_bytes=settings.limits.max_document_bytes if accepts_documents else None,
    )


def image_limits(settings: Settings) -> FetchLimits:
    """Return the limits of an image. Any declared type is accepted, because its bytes decide what it is."""
    return FetchLimits(
        total_seconds=settings.limits.image_fetch_seconds,
        connect_seconds=settings.limits.image_fetch_seconds,
        read_seconds=settings.limits.image_fetch_seconds,
        max_bytes=settings.limits.image_max_bytes,
        max_redirects=settings.limits.fetch_max_redirects,
        accept=IMAGE_ACCEPT,
        content=None,
        follows_refresh=False,
    )
