"""A pool of child processes of one kind: each request has one to itself, and whatever goes wrong harms that one alone.

Processes start when first needed and end when they have been idle for a while. One that takes too long, dies or answers
nonsense is killed with all it started, and replaced; so is one that asks to be, or has served its maximum.
"""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

from kept.subprocesses.frames import Frame
from kept.subprocesses.process import ChildProcess, ProcessLost

T = TypeVar("T")

# A worker that knows of a backlog says so every second.
BACKLOG_KNOWN_SECONDS: Final = 3.0


class Places:
    """A limit on requests at once. With a reserve there is one more, for an owner who has none: whoever sends many
    requests delays nobody else. Used from one event loop."""

    def __init__(self, count: int, *, has_reserve: bool = False) -> None:
        self._general: Final = asyncio.Semaphore(count)
        self._reserve: Final = asyncio.Semaphore(1 if has_reserve else 0)
        self._requests: Final[Counter[Hashable]] = Counter()

    @asynccontextmanager
    async def take(self, owner: Hashable = None) -> AsyncIterator[bool]:
        """Wait for a place; yield whether it is the reserve."""
        places = self._choose(owner)
        self._requests[owner] += 1
        try:
            async with places:
                yield places is self._reserve
        finally:
            self._requests[owner] -= 1
            if not self._requests[owner]:
                del self._requests[owner]

    def _choose(self, owner: Hashable) -> asyncio.Semaphore:
        is_newcomer = owner is not None and owner not in self._requests
        return self._reserve if is_newcomer and self._general.locked() and not self._reserve.locked() else self._general


class ProcessPool:
    """Lends child processes to requests; used from one event loop. If requests are short, each waits up to
    `patience_seconds` for a running process before another is started."""

    def __init__(
        self,
        start: Callable[[], Awaitable[ChildProcess]],
        *,
        processes: int,
        idle_seconds: float,
        max_requests: float = math.inf,
        has_reserve: bool = False,
        patience_seconds: float = 0.0,
    ) -> None:
        self._start: Final = start
        self._idle_seconds: Final = idle_seconds
        self._max_requests: Final = max_requests
        self._places: Final = Places(processes, has_reserve=has_reserve)
        self._processes: Final[set[ChildProcess]] = set()
        self._idle: Final[dict[ChildProcess, asyncio.TimerHandle]] = {}
        self._ending: Final[set[asyncio.Task[None]]] = set()
        self._starting: Final[set[asyncio.Task[None]]] = set()
        self._patience_seconds: Final = patience_seconds
        self._backlog_until = -math.inf
        self._changed: Final = asyncio.Event()

    @property
    def pids(self) -> frozenset[int]:
        """The processes that run now; each leads a process group."""
        return frozenset(process.pid for process in self._processes)

    def warm_up(self) -> None:
        """Start a process if none runs, without waiting for it; the next request takes it."""
        if not self._processes and not self._starting:
            task = asyncio.ensure_future(self._start_idle())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    def expect_backlog(self) -> None:
        """Say that much is waiting: for a while, requests start processes instead of waiting for running ones."""
        self._backlog_until = asyncio.get_running_loop().time() + BACKLOG_KNOWN_SECONDS

    async def ask(self, request: Frame, parse: Callable[[Frame], T], *, seconds: float, owner: Hashable = None) -> T:
        """Return the parsed answer, or raise TimeoutError or ProcessLost. The time counts once a process is free."""
        async with self.process(owner) as process, asyncio.timeout(seconds):
            return await process.ask(request, parse)

    @asynccontextmanager
    async def process(self, owner: Hashable = None) -> AsyncIterator[ChildProcess]:
        """Yield a process for one request. It is killed if the block raises or is cancelled."""
        async with self._places.take(owner) as is_reserve:
            process = await self._take(0.0 if is_reserve else self._patience_seconds)
            is_fit = False
            try:
                yield process
                is_fit = process.requests < self._max_requests and not process.wants_to_retire
            finally:
                if is_fit:
                    self._rest(process)
                else:
                    await asyncio.shield(self._end(process))

    async def close(self) -> None:
        """End every process, busy or not."""
        await asyncio.gather(*self._starting)
        for process in list(self._processes):
            self._end(process)
        await asyncio.gather(*self._ending)

    async def _start_idle(self) -> None:
        with suppress(ProcessLost):  # the next request meets the same error and is told
            self._rest(await self._start_one())

    async def _take(self, patience_seconds: float) -> ChildProcess:
        if self._starting:
            await asyncio.wait(self._starting)
        if patience_seconds and asyncio.get_running_loop().time() >= self._backlog_until:
            await self._wait_for_idle(patience_seconds)
        while self._idle:
            process, timer = self._idle.popitem()
            timer.cancel()
            if process.is_running:
                return process
            self._end(process)
        return await self._start_one()

    async def _wait_for_idle(self, seconds: float) -> None:
        """Wait until a process is idle, none runs any more, or another one is worth its memory."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._processes and not self._idle:
                    self._changed.clear()
                    await self._changed.wait()

    async def _start_one(self) -> ChildProcess:
        process = await self._start()
        self._processes.add(process)
        return process

    def _rest(self, process: ChildProcess) -> None:
        self._idle[process] = asyncio.get_running_loop().call_later(self._idle_seconds, self._end, process)
        self._changed.set()

    def _end(self, process: ChildProcess) -> "asyncio.Task[None]":
        self._processes.discard(process)
        self._changed.set()
        if timer := self._idle.pop(process, None):
            timer.cancel()
        task = asyncio.ensure_future(process.kill())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task
