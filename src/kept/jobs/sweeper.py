"""The sweep's place in a Celery worker: a thread of the parent process, with a loop and connections of its own."""

import asyncio
import threading
import time
from typing import Final

import structlog

from kept.clock import utc_now
from kept.config import Settings
from kept.jobs.broker import HintSender
from kept.storage.jobs.claiming import bring_forward
from kept.jobs.sweeping import SWEEP_SECONDS, sweep
from kept.storage.database.engine import Database

log = structlog.get_logger("kept.worker")

COMPLAIN_EVERY_SECONDS: Final = 60.0
TEND_SECONDS: Final = 60.0


class Sweeper:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stopped = threading.Event()
        self._complained_at = -COMPLAIN_EVERY_SECONDS
        self._tend_at = 0.0

    def start(self) -> None:
        threading.Thread(target=lambda: asyncio.run(self._run()), name="sweeper", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    async def _run(self) -> None:
        assert self.settings.broker_url is not None
        database = Database(self.settings.sqlalchemy_url, durability="normal")
        sender = HintSender(self.settings.broker_url.get_secret_value())
        while not self._stopped.is_set():
            try:
                await self._tend(database)
                await sweep(database, sender, lease_seconds=self.settings.lease_seconds, now=utc_now)
            except Exception as error:  # the broker or the database is away; it is tried again, and told now and then
                sender.close()
                self._complain(error)
            await asyncio.sleep(SWEEP_SECONDS)
        sender.close()
        await database.close()

    async def _tend(self, database: Database) -> None:
        """Now and then, from the start on."""
        if time.monotonic() < self._tend_at:
            return
        async with database.write() as tx:
            early = await bring_forward(tx, now=utc_now())
        self._tend_at = time.monotonic() + TEND_SECONDS
        if early:
            log.warning("jobs.clock_went_back", jobs=early)

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._complained_at >= COMPLAIN_EVERY_SECONDS:
            self._complained_at = time.monotonic()
            log.warning("jobs.not_swept", error=f"{type(error).__name__}: {error}")
