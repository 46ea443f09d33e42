"""The local executor: one process, some slots for each queue, jobs claimed from the database as slots come free.

It sleeps until the next job is due, is woken at once by a commit, and survives the database going away.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.domain.errors import first_line, is_outage
from kept.domain.job import ClaimedJob, Queue
from kept.jobs.running import JobRunner
from kept.jobs.wakeup import wake_on_commits
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import claiming, host_queues
from kept.storage.queue.claiming import Claiming

log = structlog.get_logger("kept.jobs")

# Nothing is known to need this look; it is there for a wakeup that got lost.
LONGEST_SLEEP_SECONDS: Final = 10.0
CONTESTED_SECONDS: Final = 0.05
WARM_UP_SECONDS: Final = 9.0
NEWCOMER_SECONDS: Final = 0.1
BACKLOG_LOOK_SECONDS: Final = 1.0
# Three seconds of work for one extractor. A person who saves pages, even some dozens, never has so many waiting.
BACKLOG_JOBS: Final = 100
OUTAGE_SECONDS: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
REPAIR_SECONDS: Final = 60.0
HOSTS_KEPT: Final = timedelta(days=1)
# One slot more than configured, for a user who has nothing running: whoever saves many pages, or pages that take
# long, delays nobody else. Browsers have none, because their memory is planned for.
RESERVED: Final = {Queue.INGEST: 1, Queue.RENDER: 0}


class LocalExecutor:
    def __init__(
        self,
        database: Database,
        runner: JobRunner,
        *,
        slots: Mapping[Queue, int],
        rules: Claiming,
        drain_seconds: float,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.database, self.runner, self.rules, self.now = database, runner, rules, now
        self.slots, self.drain_seconds = slots, drain_seconds
        self.kinds = {queue: runner.kinds_of(queue) for queue in slots}
        self.running: dict[Queue, dict[asyncio.Task[None], UUID | None]] = {queue: {} for queue in slots}
        self._woken, self._stopping, self._hurrying = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._failures = 0
        # Queues that had more jobs than slots at the last look: there the next job is claimed without a look.
        self._full: set[Queue] = set()
        self._looked_at = 0.0
        self._backlog_looked_at = -math.inf

    def stop(self) -> None:
        """Claim no more and let running jobs end; a second call gives them back at once. It is for signal handlers."""
        (self._hurrying if self._stopping.is_set() else self._stopping).set()
        self._woken.set()

    async def run(self) -> None:
        repairing = asyncio.create_task(self._repair_regularly())
        async with wake_on_commits(self.database, self._woken.set):
            while not self._stopping.is_set():
                self._woken.clear()
                await self._sleep(await self._claim_what_is_due())
            await self._drain()
        repairing.cancel()
        with suppress(asyncio.CancelledError):
            await repairing

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    async def _claim_what_is_due(self) -> float:
        """Fill free slots; return how long nothing else can be due."""
        try:
            seconds = [await self._fill(queue) for queue in self.slots if self.kinds[queue]]
        except Exception as error:
            if not is_outage(error):
                raise
            return self._note_outage(error)
        if self._failures:
            log.info("jobs.database_is_back")
            self._failures = 0
        return min([LONGEST_SLEEP_SECONDS, *seconds])

    def _note_outage(self, error: Exception) -> float:
        if self._failures == 0:
            log.warning("jobs.database_away", error=first_line(error))
        self._failures += 1
        return OUTAGE_SECONDS[min(self._failures, len(OUTAGE_SECONDS)) - 1]

    async def _fill(self, queue: Queue) -> float:
        while len(self.running[queue]) < self.slots[queue] and not self._stopping.is_set():
            if queue not in self._full:
                wait_seconds = await self._seconds_until_due(queue)
                if wait_seconds > 0:
                    self._warm_up(queue, wait_seconds)
                    return wait_seconds
            job = await self.runner.claim(queue, self.rules)
            if job is not None:
                self._start(job)
            elif queue in self._full:
                self._full.discard(queue)
            else:  # another worker was quicker, or is just writing to it
                return CONTESTED_SECONDS
        self._full.add(queue)
        await self._look_for_backlog(queue)
        return await self._fill_reserved(queue)

    def _warm_up(self, queue: Queue, wait_seconds: float) -> None:
        """Start a process for a job that will be due soon: a save queues its job before it fetches the page."""
        if wait_seconds <= WARM_UP_SECONDS:
            for kind in self.kinds[queue]:
                warm_up = self.runner.handlers[kind].warm_up
                if warm_up is not None:
                    warm_up()

    async def _look_for_backlog(self, queue: Queue) -> None:
        """Tell handlers about a backlog now and then, while every slot is taken."""
        if queue is not Queue.INGEST or time.monotonic() < self._backlog_looked_at + BACKLOG_LOOK_SECONDS:
            return
        self._backlog_looked_at = time.monotonic()
        now, lease_seconds = self.now(), self.rules.lease_seconds
        due = await self.database.read(claiming.count_due_by_kind, queue, now=now, lease_seconds=lease_seconds)
        for kind in self.kinds[queue]:
            expect_backlog = self.runner.handlers[kind].expect_backlog
            if expect_backlog is not None and due[kind] > BACKLOG_JOBS:
                expect_backlog()

    async def _fill_reserved(self, queue: Queue) -> float:
        """Claim a waiting newcomer's job for a reserved slot, and return the seconds until the next look."""
        running = self.running[queue]
        if not 0 <= len(running) - self.slots[queue] < RESERVED[queue] or self._stopping.is_set():
            return LONGEST_SLEEP_SECONDS
        wait_seconds = self._looked_at + NEWCOMER_SECONDS - time.monotonic()
        if wait_seconds > 0:
            return wait_seconds
        self._looked_at = time.monotonic()
        busy = frozenset(user_id for user_id in running.values() if user_id is not None)
        if await self._has_newcomer(queue, busy) and (job := await self.runner.claim(queue, self.rules, busy)):
            self._start(job)
        return LONGEST_SLEEP_SECONDS

    async def _has_newcomer(self, queue: Queue, busy: frozenset[UUID]) -> bool:
        kinds, now, lease_seconds = self.kinds[queue], self.now(), self.rules.lease_seconds
        found = await self.database.read(
            claiming.find_newcomer, queue, kinds, now=now, lease_seconds=lease_seconds, busy=busy
        )
        return found is not None

    async def _seconds_until_due(self, queue: Queue) -> float:
        """Return the seconds until a job may be due; unlike a claim, this takes no write lock."""
        now, kinds = self.now(), self.kinds[queue]
        due_at = await self.database.read(
            claiming.find_next_due, queue, kinds, now=now, lease_seconds=self.rules.lease_seconds
        )
        return LONGEST_SLEEP_SECONDS if due_at is None else (due_at - now).total_seconds()

    def _start(self, job: ClaimedJob) -> None:
        task = asyncio.create_task(self._run(job))
        self.running[job.queue][task] = job.actor_user_id
        task.add_done_callback(self.running[job.queue].pop)
        task.add_done_callback(lambda _: self._woken.set())

    async def _run(self, job: ClaimedJob) -> None:
        try:
            await self.runner.run(job)
        except Exception:
            log.exception("job.abandoned", kind=job.kind, subject_id=str(job.subject_id))

    async def _drain(self) -> None:
        running = [task for tasks in self.running.values() for task in tasks]
        if not running:
            return
        log.info("jobs.draining", running=len(running))
        hurry = asyncio.create_task(self._hurrying.wait())
        ended = asyncio.gather(*running)
        either: set[asyncio.Future[Any]] = {ended, hurry}
        await asyncio.wait(either, timeout=self.drain_seconds, return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        for task in running:
            task.cancel()
        await asyncio.gather(ended, *running, return_exceptions=True)

    async def _repair_regularly(self) -> None:
        """Repair the queue at the start, and then now and then."""
        while True:
            try:
                early, repaired = await self.database.write(_repair_queue, self.now())
                if early:
                    log.warning("jobs.clock_went_back", jobs=early)
                if repaired:
                    log.error("jobs.host_queues_repaired", queues=repaired)
            except Exception as error:
                if not is_outage(error):
                    log.exception("jobs.not_tended")
            await asyncio.sleep(REPAIR_SECONDS)


def _repair_queue(tx: Connection, now: datetime) -> tuple[int, int]:
    """Return how many jobs were too late because a clock went back, and how many host queues were broken."""
    early = claiming.bring_forward(tx, now=now)
    claiming.forget_hosts(tx, before=now - HOSTS_KEPT)
    return early, host_queues.repair_host_queues(tx, now=now)
