"""Keeps one worker process alive beside the server: forked or started by exec, replaced when it dies, gone when we are
gone."""

import asyncio
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Final, Protocol

from kept.logs import structlog
from kept.worker.forking import ForkedWorker
from kept.worker.metrics import WorkerMetrics

log = structlog.get_logger("kept.worker")

RESTART_SECONDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
HEALTHY_SECONDS: Final = 60.0
KILL_AFTER_SECONDS: Final = 7.0  # beyond the drain: for cancelled jobs to let go and leases to be given back


class WorkerProcess(Protocol):
    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def terminate(self) -> None: ...

    async def wait(self) -> int: ...


class Supervisor:
    """`first`: a worker that waits to begin; if there is none, and after it, workers are started by exec."""

    def __init__(self, *, drain_seconds: float, first: ForkedWorker | None = None) -> None:
        self.drain_seconds = drain_seconds
        self.metrics = WorkerMetrics()
        self.process: WorkerProcess | None = None
        self._first = first
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ask the worker to drain and end. For signal handlers."""
        self._stopping.set()

    async def run(self) -> None:
        """Until `stop`; returns when the worker is gone."""
        deaths = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            await self._run_once()
            if self._stopping.is_set():
                return
            deaths = 0 if time.monotonic() - started > HEALTHY_SECONDS else deaths
            wait_seconds = RESTART_SECONDS[min(deaths, len(RESTART_SECONDS) - 1)]
            assert self.process is not None
            log.error("worker.died", code=self.process.returncode, restart_in_seconds=wait_seconds)
            deaths += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait_seconds)

    async def _run_once(self) -> None:
        self.process, connection = await self._start()
        following = asyncio.create_task(self.metrics.follow(connection))
        died = asyncio.create_task(self.process.wait())
        stopping = asyncio.create_task(self._stopping.wait())
        either: set[asyncio.Task[object]] = {died, stopping}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not died.done():
                self.process.terminate()
                await asyncio.wait({died}, timeout=self.drain_seconds + KILL_AFTER_SECONDS)
        finally:
            stopping.cancel()
            self._kill_group()
            await died
            following.cancel()
            await asyncio.wait({following})

    async def _start(self) -> tuple[WorkerProcess, socket.socket]:
        """A worker, and our end of the socket that we share with it."""
        first, self._first = self._first, None
        if first is not None:
            first.begin()
            return first, first.connection
        ours, theirs = socket.socketpair()
        with theirs:
            return await self._execute(theirs.fileno()), ours

    async def _execute(self, metrics: int) -> asyncio.subprocess.Process:
        command = ("-m", "kept.worker", "--child-of", str(os.getpid()), "--metrics", str(metrics))
        # A session of its own: Ctrl-C in a terminal reaches us alone, and we tell the worker once.
        return await asyncio.create_subprocess_exec(
            sys.executable, *command, start_new_session=True, pass_fds=(metrics,)
        )

    def _kill_group(self) -> None:
        """The worker if it is still there, and whatever it left behind in its session."""
        assert self.process is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
