"""Work that is in flight in this process: one task per media, and everybody who waits for it.

It goes on when the person who started it leaves; so does the save.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar
from uuid import UUID

from kept.domain.errors import first_line, is_outage
from kept.logs import structlog

log = structlog.get_logger("kept.enrichment")

T = TypeVar("T")


class InFlight(Generic[T]):
    def __init__(self) -> None:
        self._tasks: dict[UUID, asyncio.Task[T]] = {}

    def start(self, media_id: UUID, work: Coroutine[Any, Any, T]) -> None:
        task = asyncio.create_task(work, name=f"card {media_id}")
        self._tasks[media_id] = task
        task.add_done_callback(lambda done: self._end(media_id, done))

    def _end(self, media_id: UUID, task: asyncio.Task[T]) -> None:
        if self._tasks.get(media_id) is task:
            del self._tasks[media_id]
        error = None if task.cancelled() else task.exception()
        # The item is saved and its job is due soon: the worker makes good what went wrong here.
        if error is not None and is_outage(error):
            log.warning("enrichment.met_outage", media_id=str(media_id), error=first_line(error))
        elif error is not None:
            log.error("enrichment.crashed", media_id=str(media_id), exc_info=error)

    async def wait(self, media_id: UUID, seconds: float) -> T | None:
        """The result, once there is one; None where nothing is in flight, it failed, or the time is up first."""
        task = self._tasks.get(media_id)
        if task is None:
            return None
        await asyncio.wait({task}, timeout=seconds)
        return task.result() if task.done() and not task.cancelled() and task.exception() is None else None

    async def drain(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=seconds)
        for task in self._tasks.values():
            task.cancel()
