"""The sweeper: a thread in Celery's parent process that sends wakeups again for due jobs that none led to.

Losing every message loses nothing. Several sweepers do not flood the broker: a row is marked by whoever sends its
wakeup, and nobody adds to wakeups that are not being taken.
"""

import threading
import time
from datetime import datetime
from typing import Final

import structlog

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.job import Queue
from kept.jobs.broker import WakeupSender
from kept.storage.database.engine import Database
from kept.storage.queue.claiming import bring_forward
from kept.storage.queue.report import mark_for_wakeup

log = structlog.get_logger("kept.worker")

SWEEP_SECONDS: Final = 1.0
MOST_WAKEUPS: Final = 100
COMPLAIN_EVERY_SECONDS: Final = 60.0
REPAIR_SECONDS: Final = 60.0


class Sweeper:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stopped = threading.Event()
        self._complained_at = -COMPLAIN_EVERY_SECONDS
        self._repair_at = 0.0

    def start(self) -> None:
        threading.Thread(target=self._run, name="sweeper", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        assert self.settings.broker_url is not None
        database = Database(self.settings.sqlalchemy_url, durability="normal")
        sender = WakeupSender(self.settings.broker_url.get_secret_value())
        while not self._stopped.is_set():
            try:
                self._repair(database)
                sweep(database, sender, lease_seconds=self.settings.lease_seconds, now=utc_now())
            except Exception as error:  # the broker or the database is away; it is tried again, and told now and then
                sender.close()
                self._complain(error)
            self._stopped.wait(SWEEP_SECONDS)
        sender.close()
        database.dispose()

    def _repair(self, database: Database) -> None:
        """Repair the queue now and then, beginning at the start."""
        if time.monotonic() < self._repair_at:
            return
        early = database.run_write(bring_forward, now=utc_now())
        self._repair_at = time.monotonic() + REPAIR_SECONDS
        if early:
            log.warning("jobs.clock_went_back", jobs=early)

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._complained_at >= COMPLAIN_EVERY_SECONDS:
            self._complained_at = time.monotonic()
            log.warning("jobs.not_swept", error=f"{type(error).__name__}: {error}")


def sweep(database: Database, sender: WakeupSender, *, lease_seconds: float, now: datetime) -> int:
    """Send wakeups for what is due; return how many."""
    sent = 0
    for queue in Queue:
        room = MOST_WAKEUPS - sender.count(queue)
        if room <= 0:
            continue
        found = database.run_write(mark_for_wakeup, queue, limit=room, now=now, lease_seconds=lease_seconds)
        for kind, subject_id in found:
            sender.send(kind, subject_id)
        sent += len(found)
    return sent
