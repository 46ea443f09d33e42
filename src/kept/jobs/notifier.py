"""Telling workers that a job is due, after its transaction. Only a hint: the row is the truth.

Announcing never waits and never fails: a broker that is away costs a caller nothing, and a lost hint is made up for by
the workers' sweep.
"""

import asyncio
import queue
import threading
import time
from typing import Final, Protocol
from uuid import UUID

import structlog

from kept.config import Settings
from kept.storage.jobs.queue import JobKind, Queue
from kept.observability import HINTS_LOST

log = structlog.get_logger("kept.jobs")

INBOX: Final = 10_000
COMPLAIN_EVERY_SECONDS: Final = 60.0
# After a failure the broker is left alone this long; hints meanwhile are dropped, not heaped up.
PAUSE_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 2.0

Hint = tuple[JobKind, Queue, UUID]


class Announcer(Protocol):
    def announce(self, kind: JobKind, queue: Queue, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    async def is_heard(self) -> bool:
        """Whether there is somebody to tell just now."""


class Silent:
    """For the local executor: its workers watch the database."""

    def announce(self, kind: JobKind, queue: Queue, subject_id: UUID) -> None:
        pass

    def close(self) -> None:
        pass

    async def is_heard(self) -> bool:
        return True


class Sender(Protocol):
    """Puts a hint on the broker, or raises; drops its connection when told to."""

    def send(self, kind: JobKind, queue: Queue, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    def reach(self) -> None:
        """Connects and lets go again, beside the connection there may be. Raises when nobody answers."""


class BrokerAnnouncer:
    """Hands hints to a thread of its own, which alone speaks to the broker."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._inbox: queue.Queue[Hint | None] = queue.Queue(INBOX)
        self._complained_at = -COMPLAIN_EVERY_SECONDS
        self._paused_until = 0.0
        self._thread: threading.Thread | None = None

    def announce(self, kind: JobKind, queue: Queue, subject_id: UUID) -> None:
        self._put((kind, queue, subject_id))

    def close(self) -> None:
        if self._thread is not None:
            self._put(None)
            self._thread.join(CLOSE_SECONDS)

    async def is_heard(self) -> bool:
        try:
            await asyncio.to_thread(self._sender.reach)
        except Exception:  # whatever a broker's client raises
            return False
        return True

    def _put(self, hint: Hint | None) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._send_all, name="announcer", daemon=True)
            self._thread.start()
        try:
            self._inbox.put_nowait(hint)
        except queue.Full:
            HINTS_LOST.inc()

    def _send_all(self) -> None:
        while (hint := self._inbox.get()) is not None:
            if time.monotonic() < self._paused_until:
                HINTS_LOST.inc()
                continue
            try:
                self._sender.send(*hint)
            except Exception as error:  # whatever a broker's client raises, no hint is worth more than a line
                self._note_failure(error)
        self._sender.close()

    def _note_failure(self, error: Exception) -> None:
        HINTS_LOST.inc()
        self._paused_until = time.monotonic() + PAUSE_SECONDS
        self._sender.close()
        if time.monotonic() - self._complained_at >= COMPLAIN_EVERY_SECONDS:
            self._complained_at = time.monotonic()
            log.warning("jobs.broker_away", error=f"{type(error).__name__}: {error}")


def create_announcer(settings: Settings) -> Announcer:
    if settings.executor == "local" or settings.broker_url is None:
        return Silent()
    from kept.jobs.broker import HintSender  # the celery extra

    return BrokerAnnouncer(HintSender(settings.broker_url.get_secret_value()))
