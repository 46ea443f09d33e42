"""A crew of like children: each request has one to itself, and whatever goes wrong harms that one alone.

Children start when first needed, rest when idle, end when nobody has needed them for a while. One that takes too
long or dies is killed with all it started, and replaced. The pools beside this file say what the children do.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from kept.subprocesses.frames import LENGTHS, Frame, FrameError, encode_frame, parse_frame, parse_lengths
from kept.subprocesses.process import Child, start_child

T = TypeVar("T")


class ChildLost(Exception):
    """The child died or spoke nonsense; the message says how, for the log."""


class Crew:
    """Used from one event loop."""

    def __init__(self, command: Sequence[str], *, processes: int, idle_seconds: float) -> None:
        self._command: Final = tuple(command)
        self._idle_seconds: Final = idle_seconds
        self._places: Final = asyncio.Semaphore(processes)
        self._children: Final[set[Child]] = set()
        self._idle: Final[list[Child]] = []
        self._reaper: asyncio.TimerHandle | None = None
        self._reaping: asyncio.Task[None] | None = None

    @property
    def pids(self) -> frozenset[int]:
        """The children that run now; each leads the process group of everything it started."""
        return frozenset(child.pid for child in self._children)

    async def ask(self, request: Frame, parse: Callable[[Frame], T], *, seconds: float) -> T:
        """What the child's answer means; TimeoutError or ChildLost if there is none. Time counts once a child is free.

        `parse` raises FrameError for what no child of ours could have said. A child that says `retire` in its answer
        has done its last work.
        """
        async with self._places:
            child = await self._take()
            try:
                async with asyncio.timeout(seconds):
                    answer = await exchange(child, request)
                meaning = parse(answer)
            except (OSError, EOFError, FrameError) as error:
                await self._end(child)
                if isinstance(error, TimeoutError):
                    raise
                raise ChildLost(str(error)) from error
            except BaseException:  # cancelled: the child is in the middle of work nobody wants any more
                await self._end(child)
                raise
            if answer.header.get("retire"):
                await self._end(child)
            else:
                self._rest(child)
            return meaning

    async def close(self) -> None:
        """End every child, busy or not."""
        self._cancel_reaper()
        self._idle.clear()
        await asyncio.gather(*(self._end(child) for child in list(self._children)))

    async def _take(self) -> Child:
        self._cancel_reaper()
        while self._idle:
            child = self._idle.pop()
            if child.is_running:
                return child
            await self._end(child)
        child = await start_child(self._command)
        self._children.add(child)
        return child

    def _rest(self, child: Child) -> None:
        self._idle.append(child)
        self._cancel_reaper()
        loop = asyncio.get_running_loop()
        self._reaper = loop.call_later(self._idle_seconds, self._reap_idle)

    def _reap_idle(self) -> None:
        idle, self._idle[:] = list(self._idle), []
        self._reaping = asyncio.create_task(self._end_all(idle))

    async def _end_all(self, children: list[Child]) -> None:
        for child in children:
            await self._end(child)

    async def _end(self, child: Child) -> None:
        self._children.discard(child)
        await asyncio.shield(child.kill())

    def _cancel_reaper(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
            self._reaper = None


async def exchange(child: Child, request: Frame) -> Frame:
    child.stdin.write(encode_frame(request))
    await child.stdin.drain()
    header_length, body_length = parse_lengths(await child.stdout.readexactly(LENGTHS.size))
    header = await child.stdout.readexactly(header_length)
    return parse_frame(header, await child.stdout.readexactly(body_length))
