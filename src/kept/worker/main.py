"""A worker process: the local executor with its handlers, until a signal tells it to stop."""

import asyncio
import signal
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager

import structlog

from kept.config import Settings
from kept.domain.job import Queue
from kept.jobs.local import LocalExecutor
from kept.jobs.running import Handlers, JobRunner, RunRules
from kept.observability import set_up_logging
from kept.storage.database.engine import Database
from kept.storage.jobs.claiming import Claiming

log = structlog.get_logger("kept.worker")

OpenHandlers = Callable[[Settings, Database], AbstractAsyncContextManager[Handlers]]


def choose_slots(
    settings: Settings, queues: Collection[Queue] = tuple(Queue), concurrency: int | None = None
) -> dict[Queue, int]:
    """How many jobs at once, for each queue."""
    chosen = {Queue.INGEST: settings.ingest_concurrency, Queue.RENDER: settings.render_concurrency}
    return {queue: concurrency or chosen[queue] for queue in queues}


def run_worker(settings: Settings, slots: Mapping[Queue, int], handlers: OpenHandlers) -> None:
    set_up_logging(settings.log_level, settings.log_format)
    serve_metrics(settings.worker_metrics_port)
    asyncio.run(work(settings, slots, handlers))


async def work(settings: Settings, slots: Mapping[Queue, int], handlers: OpenHandlers) -> None:
    # Work can be redone, so that a commit need not wait for the disk as an answered save does.
    database = Database(settings.sqlalchemy_url, durability="normal")
    try:
        async with handlers(settings, database) as able:
            executor = LocalExecutor(
                database,
                JobRunner(database, able, RunRules.from_settings(settings)),
                slots=slots,
                rules=Claiming.from_settings(settings),
                drain_seconds=settings.drain_seconds,
            )
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, executor.stop)
            log.info("worker.started", slots=dict(slots), kinds=sorted(able))
            await executor.run()
            log.info("worker.stopped")
    finally:
        await database.close()


def serve_metrics(port: int) -> None:
    """On loopback, and only where somebody asked for it."""
    if port:
        from prometheus_client import start_http_server

        start_http_server(port, addr="127.0.0.1")
