"""Cards being filled right now in this process: one flight per media, and everybody who waits for it.

A flight goes on when the person who started it leaves; so does the save.
"""

import asyncio
from collections.abc import Coroutine
from uuid import UUID

import structlog

from kept.domain.errors import is_outage

log = structlog.get_logger("kept.enrichment")


class Flights:
    def __init__(self) -> None:
        self._flying: dict[UUID, asyncio.Task[None]] = {}

    def start(self, media_id: UUID, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name=f"card {media_id}")
        self._flying[media_id] = task
        task.add_done_callback(lambda done: self._land(media_id, done))

    def _land(self, media_id: UUID, task: asyncio.Task[None]) -> None:
        if self._flying.get(media_id) is task:
            del self._flying[media_id]
        error = None if task.cancelled() else task.exception()
        # The item is saved and its job is due soon: the worker makes good what went wrong here.
        if error is not None and is_outage(error):
            log.warning("enrichment.met_outage", media_id=str(media_id), error=str(error).splitlines()[0])
        elif error is not None:
            log.error("enrichment.crashed", media_id=str(media_id), exc_info=error)

    async def wait(self, media_id: UUID, seconds: float) -> None:
        """Until the flight lands or the time is up, whichever is first; returns at once where there is none."""
        task = self._flying.get(media_id)
        if task is not None:
            await asyncio.wait({task}, timeout=seconds)

    async def drain(self, seconds: float) -> None:
        if self._flying:
            await asyncio.wait(set(self._flying.values()), timeout=seconds)
        for task in self._flying.values():
            task.cancel()
