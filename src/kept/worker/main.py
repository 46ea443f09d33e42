"""A worker process: runs the local executor with its handlers until a signal tells it to stop."""

import asyncio
import ctypes
import gc
import os
import signal
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import structlog
from prometheus_client import start_http_server

from kept.config import Settings
from kept.domain.job import Queue
from kept.logs import set_up_logging
from kept.subprocesses.child import die_with_parent
from kept.wiring.worker import open_executor, open_handlers

if TYPE_CHECKING:
    from kept.wiring.worker import OpenHandlers

log = structlog.get_logger("kept.worker")

NICENESS: Final = 5  # a third of the server's share of a busy processor
NAME: Final = b"kept-worker"  # at most 15 bytes
PR_SET_NAME: Final = 15


def choose_slots(
    settings: Settings, queues: Collection[Queue] = tuple(Queue), concurrency: int | None = None
) -> dict[Queue, int]:
    """Return how many jobs run at once in each queue."""
    chosen = {Queue.INGEST: settings.ingest_concurrency, Queue.RENDER: settings.render_concurrency}
    return {queue: concurrency or chosen[queue] for queue in queues}


def follow_server(server: int) -> None:
    """Make this process a server's worker: it dies with the server, has its own process name, and gives way."""
    die_with_parent(server)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, NAME, 0, 0, 0)
    yield_to_the_server()


def yield_to_the_server() -> None:
    """Lower the priority of this process and its children: saving and reading do not wait for articles."""
    os.nice(NICENESS)
    # If Linux shares the processor among sessions, as in a terminal, niceness counts within one session only.
    with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as autogroup:
        autogroup.write(str(NICENESS))


def run_worker(settings: Settings, slots: Mapping[Queue, int], handlers: "OpenHandlers" = open_handlers) -> None:
    """Run jobs until a signal tells it to stop; running jobs are finished first."""
    set_up_logging(settings.log_level, settings.log_format)
    serve_metrics(settings.worker_metrics_port)
    asyncio.run(work(settings, slots, handlers))


async def work(settings: Settings, slots: Mapping[Queue, int], handlers: "OpenHandlers") -> None:
    async with open_executor(settings, slots, handlers) as executor:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, executor.stop)
        gc.collect()
        gc.freeze()  # what the imports made stays: the collector need not look at it
        log.info("worker.started", slots=dict(slots), kinds=sorted(executor.runner.handlers))
        await executor.run()
        log.info("worker.stopped")


def serve_metrics(port: int) -> None:
    """Serve metrics on loopback, if a port is set."""
    if port:
        start_http_server(port, addr="127.0.0.1")
