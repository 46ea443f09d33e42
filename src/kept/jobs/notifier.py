"""The notifier: sends a wakeup to workers after the transaction that asked for a job. The row is the truth.

`notify` never waits and never fails: a broker that is away costs a caller nothing, and the sweeper sends a lost wakeup
again.
"""

import asyncio
import queue
import threading
import time
from typing import Any, Final, Protocol
from uuid import UUID

import structlog
from celery import Celery
from kombu.entity import Queue as BrokerQueue

from kept.config import Settings
from kept.domain.job import QUEUE_OF, JobKind, Queue
from kept.metrics import WAKEUPS_LOST

log = structlog.get_logger("kept.jobs")
INBOX: Final = 10_000
COMPLAIN_EVERY_SECONDS: Final = 60.0
# After a failure the broker is left alone this long; wakeups meanwhile are dropped, not piled up.
PAUSE_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 2.0
Wakeup = tuple[JobKind, UUID]
RUN_TASK: Final = "kept.run"
# For those who send: give up soon, somebody sweeps.
IMPATIENT: Final[dict[str, float]] = {
    "socket_connect_timeout": 1.0,  # Redis
    "socket_timeout": 2.0,
    "read_timeout": 2.0,  # RabbitMQ
    "write_timeout": 2.0,
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0,
}


class Notifier(Protocol):
    def notify(self, kind: JobKind, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    async def is_reachable(self) -> bool:
        """Whether wakeups can be sent just now."""


class NullNotifier:
    """For the local executor: its workers watch the database."""

    def notify(self, kind: JobKind, subject_id: UUID) -> None:
        pass

    def close(self) -> None:
        pass

    async def is_reachable(self) -> bool:
        return True


class Sender(Protocol):
    """Puts a wakeup on the broker, or raises; drops its connection when told to."""

    def send(self, kind: JobKind, subject_id: UUID) -> None: ...
    def close(self) -> None: ...
    def reach(self) -> None:
        """Connects and lets go again, beside the connection there may be. Raises when nobody answers."""


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


class WakeupSender:
    """One connection, made when first needed and again after `close`. Not for several threads at once."""

    def __init__(self, broker_url: str) -> None:
        self._app = create_celery(broker_url)
        self._app.conf.broker_transport_options = IMPATIENT
        self._connection: Any = None
        self._producer: Any = None

    def send(self, kind: JobKind, subject_id: UUID) -> None:
        """The kind and subject are for whoever reads logs and queues; the queue is what counts."""
        options = {"queue": QUEUE_OF[kind].value, "producer": self._connect()}
        self._app.send_task(RUN_TASK, [kind.value, subject_id.hex], retry=False, ignore_result=True, **options)

    def count(self, queue: Queue) -> int:
        """Wakeups that wait on the broker."""
        self._connect()
        with self._connection.channel() as channel:
            try:
                return int(channel.queue_declare(queue.value, passive=True).message_count)
            except self._connection.channel_errors:  # an empty Redis list does not exist
                return 0

    def reach(self) -> None:
        with self._app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=IMPATIENT["socket_connect_timeout"])

    def close(self) -> None:
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.release()

    def _connect(self) -> Any:
        if self._producer is None:
            self._connection = self._app.connection_for_write()
            self._producer = self._app.amqp.Producer(self._connection, auto_declare=False)
        return self._producer


def create_notifier(settings: Settings) -> Notifier:
    if settings.executor == "local" or settings.broker_url is None:
        return NullNotifier()

    return BrokerNotifier(WakeupSender(settings.broker_url.get_secret_value()))


def create_celery(broker_url: str) -> Celery:
    """Wakeups on a Celery broker, Redis or RabbitMQ: sending them, and counting those that wait.

    A wakeup means "there is work on this queue". Whoever takes it claims the most urgent job there is, so that a
    person's save does not wait behind ten thousand wakeups of an import.
    """
    app = Celery("kept", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_queues=[broker_queue(queue.value) for queue in Queue],
        task_default_queue=Queue.INGEST.value,
        task_create_missing_queues=False,
        task_ignore_result=True,
        task_publish_retry=False,
        broker_connection_timeout=2.0,
        broker_connection_retry_on_startup=True,
    )
    return app


def broker_queue(name: str) -> BrokerQueue:
    return BrokerQueue(name, routing_key=name)  # type: ignore[no-untyped-call]
