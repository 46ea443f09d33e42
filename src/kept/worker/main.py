"""A worker process: the local executor with its handlers, until a signal tells it to stop."""

import asyncio
import gc
import signal
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from kept.allocator import set_up_allocator
from kept.bootstrap import open_executor, open_handlers
from kept.config import Settings
from kept.domain.job import Queue
from kept.logs import structlog
from kept.observability import set_up_logging

if TYPE_CHECKING:
    from kept.bootstrap import OpenHandlers

log = structlog.get_logger("kept.worker")


def choose_slots(
    settings: Settings, queues: Collection[Queue] = tuple(Queue), concurrency: int | None = None
) -> dict[Queue, int]:
    """How many jobs at once, for each queue."""
    chosen = {Queue.INGEST: settings.ingest_concurrency, Queue.RENDER: settings.render_concurrency}
    return {queue: concurrency or chosen[queue] for queue in queues}


def run_worker(settings: Settings, slots: Mapping[Queue, int], handlers: "OpenHandlers" = open_handlers) -> None:
    set_up_allocator()
    set_up_logging(settings.log_level, settings.log_format)
    serve_metrics(settings.worker_metrics_port)
    asyncio.run(work(settings, slots, handlers))


async def work(settings: Settings, slots: Mapping[Queue, int], handlers: "OpenHandlers") -> None:
    async with open_executor(settings, slots, handlers) as executor:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, executor.stop)
        gc.collect()
        gc.freeze()  # what the imports made never goes: no need to look at it again
        log.info("worker.started", slots=dict(slots), kinds=sorted(executor.runner.handlers))
        await executor.run()
        log.info("worker.stopped")


def serve_metrics(port: int) -> None:
    """On loopback, and only where somebody asked for it."""
    if port:
        from prometheus_client import start_http_server

        start_http_server(port, addr="127.0.0.1")
