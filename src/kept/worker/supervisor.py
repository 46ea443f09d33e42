"""Keeps one worker process alive beside the server: it is started by exec, replaced when it dies, and ends with us."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Final

import structlog

log = structlog.get_logger("kept.worker")

RESTART_SECONDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
HEALTHY_SECONDS: Final = 60.0
KILL_AFTER_SECONDS: Final = 7.0  # after the drain: for cancelled jobs to end and leases to be returned


class Supervisor:
    """Starts a worker, and another one whenever it dies."""

    def __init__(self, *, drain_seconds: float) -> None:
        self.drain_seconds = drain_seconds
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ask the worker to drain and end; safe to call in a signal handler."""
        self._stopping.set()

    async def run(self) -> None:
        """Keep a worker running until `stop`; return when the worker is gone."""
        deaths = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            code = await self._run_once()
            if self._stopping.is_set():
                return
            deaths = 0 if time.monotonic() - started > HEALTHY_SECONDS else deaths
            wait_seconds = RESTART_SECONDS[min(deaths, len(RESTART_SECONDS) - 1)]
            log.error("worker.died", code=code, restart_in_seconds=wait_seconds)
            deaths += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait_seconds)

    async def _run_once(self) -> int:
        """Run a worker until it ends; return its exit code."""
        process = await start_worker()
        died = asyncio.create_task(process.wait())
        stopping = asyncio.create_task(self._stopping.wait())
        either: set[asyncio.Task[object]] = {died, stopping}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not died.done():
                process.terminate()
                await asyncio.wait({died}, timeout=self.drain_seconds + KILL_AFTER_SECONDS)
        finally:
            stopping.cancel()
            kill_group(process.pid)
            await died
        return died.result()


async def start_worker() -> asyncio.subprocess.Process:
    """Start `kept worker` in a session of its own: Ctrl-C in a terminal reaches us alone, and we tell the worker.
    Nothing is imported from the folder that the server was started in (`-P`)."""
    command = ("-P", "-m", "kept.cli.main", "worker", "--child-of", str(os.getpid()))
    return await asyncio.create_subprocess_exec(sys.executable, *command, start_new_session=True)


def kill_group(leader: int) -> None:
    """Kill the worker if it is still there, and whatever it left behind in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
