"""The notifier: sends a wakeup to workers after the transaction that asked for a job. The row is the truth.

`notify` never waits and never fails: a broker that is away costs a caller nothing, and the sweeper sends a lost wakeup
again.
"""

import asyncio
import queue
import threading
import time
from typing import Final, Protocol
from uuid import UUID

import structlog

from kept.config import Settings
from kept.domain.job import JobKind
from kept.metrics import WAKEUPS_LOST

log = structlog.get_logger("kept.jobs")
INBOX: Final = 10_000
COMPLAIN_EVERY_SECONDS: Final = 60.0
# After a failure the broker is left alone this long; wakeups meanwhile are dropped, not piled up.
PAUSE_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 2.0
Wakeup = tuple[JobKind, UUID]


class Notifier(Protocol):
    def notify(self, kind: JobKind, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    async def is_reachable(self) -> bool:
        """Return whether wakeups can be sent just now."""


class NullNotifier:
    """The notifier of the local executor, which does nothing: its workers watch the database."""

    def notify(self, kind: JobKind, subject_id: UUID) -> None:
        pass

    def close(self) -> None:
        pass

    async def is_reachable(self) -> bool:
        return True


class Sender(Protocol):
    """Sends a wakeup to the broker, or raises; `close` drops its connection."""

    def send(self, kind: JobKind, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    def reach(self) -> None:
        """Connect and close again, beside any open connection; raises when nobody answers."""


class BrokerNotifier:
    """Hands wakeups to a thread of its own, which alone speaks to the broker."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._inbox: queue.Queue[Wakeup | None] = queue.Queue(INBOX)
        self._complained_at = -COMPLAIN_EVERY_SECONDS
        self._paused_until = 0.0
        self._thread: threading.Thread | None = None

    def notify(self, kind: JobKind, subject_id: UUID) -> None:
        self._put((kind, subject_id))

    def close(self) -> None:
        if self._thread is not None:
            self._put(None)
            self._thread.join(CLOSE_SECONDS)

    async def is_reachable(self) -> bool:
        try:
            await asyncio.to_thread(self._sender.reach)
        except Exception:  # whatever a broker's client raises
            return False
        return True

    def _put(self, wakeup: Wakeup | None) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._send_all, name="notifier", daemon=True)
            self._thread.start()
        try:
            self._inbox.put_nowait(wakeup)
        except queue.Full:
            WAKEUPS_LOST.inc()

    def _send_all(self) -> None:
        while (wakeup := self._inbox.get()) is not None:
            if time.monotonic() < self._paused_until:
                WAKEUPS_LOST.inc()
                continue
            try:
                self._sender.send(*wakeup)
            except Exception as error:  # whatever a broker's client raises, no wakeup is worth more than a line
                self._note_failure(error)
        self._sender.close()

    def _note_failure(self, error: Exception) -> None:
        WAKEUPS_LOST.inc()
        self._paused_until = time.monotonic() + PAUSE_SECONDS
        self._sender.close()
        if time.monotonic() - self._complained_at >= COMPLAIN_EVERY_SECONDS:
            self._complained_at = time.monotonic()
            log.warning("jobs.broker_away", error=f"{type(error).__name__}: {error}")


def create_notifier(settings: Settings) -> Notifier:
    if settings.executor == "local" or settings.broker_url is None:
        return NullNotifier()
    from kept.jobs.broker import WakeupSender  # the celery extra

    return BrokerNotifier(WakeupSender(settings.broker_url.get_secret_value()))
