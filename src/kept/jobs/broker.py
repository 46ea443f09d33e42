"""Wakeups on a Celery broker, Redis or RabbitMQ: sending them, and counting those that wait.

A wakeup means "there is work on this queue". Whoever takes it claims the most urgent job there is, so that a person's
save does not wait behind ten thousand wakeups of an import.
"""

from typing import Any, Final
from uuid import UUID

from celery import Celery
from kombu.entity import Queue as BrokerQueue

from kept.domain.job import QUEUE_OF, JobKind, Queue

RUN_TASK: Final = "kept.run"

# For senders: they give up soon, because the sweeper sends again.
IMPATIENT: Final[dict[str, float]] = {
    "socket_connect_timeout": 1.0,  # Redis
    "socket_timeout": 2.0,
    "read_timeout": 2.0,  # RabbitMQ
    "write_timeout": 2.0,
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0,
}


def create_celery(broker_url: str) -> Celery:
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


class WakeupSender:
    """A connection to the broker for one thread, made when first needed and again after `close`."""

    def __init__(self, broker_url: str) -> None:
        self._app = create_celery(broker_url)
        self._app.conf.broker_transport_options = IMPATIENT
        self._connection: Any = None
        self._producer: Any = None

    def send(self, kind: JobKind, subject_id: UUID) -> None:
        """Send a wakeup. Only the queue matters; kind and subject are for whoever reads logs and queues."""
        options = {"queue": QUEUE_OF[kind].value, "producer": self._connect()}
        self._app.send_task(RUN_TASK, [kind.value, subject_id.hex], retry=False, ignore_result=True, **options)

    def count(self, queue: Queue) -> int:
        """Return how many wakeups wait on the broker."""
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
