"""One of Celery's child processes: an event loop, a database and the handlers, made after the fork.

The loop runs while a job does: a child runs one job at a time, so that nothing is gained by a loop in a second thread,
and much lost should the thread die alone. Between jobs a thread lets it run for a moment now and then: browsers and
extractors that are idle too long are stopped by the loop's clock.
"""

import asyncio
import threading
from contextlib import AsyncExitStack
from typing import Final

from kept.config import Settings
from kept.domain.errors import first_line, is_outage
from kept.domain.job import Queue
from kept.jobs.running import JobRunner, OpenHandlers, RunRules
from kept.logs import structlog
from kept.storage.database.engine import Database
from kept.storage.jobs.claiming import Claiming

log = structlog.get_logger("kept.worker")

TEND_EVERY_SECONDS: Final = 5.0
# As long as a job may wait for its turn.
MOMENT_SECONDS: Final = 0.1


class PreforkChild:
    def __init__(
        self, settings: Settings, handlers: OpenHandlers, *, tend_every_seconds: float = TEND_EVERY_SECONDS
    ) -> None:
        self.settings, self.handlers = settings, handlers
        self.rules = Claiming.from_settings(settings)
        self._tend_every_seconds = tend_every_seconds
        self._stack = AsyncExitStack()

    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._open())
        self._turn, self._is_closing = threading.Lock(), threading.Event()
        threading.Thread(target=self._tend, name="between jobs", daemon=True).start()

    def close(self) -> None:
        self._is_closing.set()
        with self._turn:
            self.loop.run_until_complete(self._stack.aclose())
            self.loop.close()

    def run_one(self, queue: Queue) -> None:
        with self._turn:
            self.loop.run_until_complete(self._run_one(queue))

    def _tend(self) -> None:
        """While a job runs, the loop does."""
        while not self._is_closing.wait(self._tend_every_seconds):
            if self._turn.acquire(blocking=False):
                try:
                    self.loop.run_until_complete(asyncio.sleep(MOMENT_SECONDS))
                finally:
                    self._turn.release()

    async def _open(self) -> None:
        self.database = Database(self.settings.sqlalchemy_url, durability="normal")
        self._stack.push_async_callback(self.database.close)
        handlers = await self._stack.enter_async_context(self.handlers(self.settings, self.database))
        self.runner = JobRunner(self.database, handlers, RunRules.from_settings(self.settings))

    async def _run_one(self, queue: Queue) -> None:
        try:
            job = await self.runner.claim(queue, self.rules)
        except Exception as error:
            if not is_outage(error):
                raise
            log.warning("jobs.database_away", error=first_line(error))
            return
        if job is not None:
            await self.runner.run(job)
