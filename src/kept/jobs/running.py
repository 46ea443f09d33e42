"""Running one job, whoever the executor is: its lease renewed, its time limited, its end logged.

The wiring gives each kind a `Handler`. A handler runs its own units of work, and in one of them calls `queue.finish`
or `queue.retry_later`; what it does not do by itself (crash, overrun, use up its attempts) is decided here.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.attempt import LONGEST_WAIT_SECONDS, RetryAt, decide_retry, seconds_before
from kept.domain.errors import first_line, is_outage
from kept.domain.failures import FailureCode
from kept.domain.job import QUEUE_OF, ClaimedJob, JobKind, LeaseLost, Queue
from kept.metrics import JOB_SECONDS, JOBS_CLAIMED, JOBS_ENDED
from kept.storage.database.engine import Database
from kept.storage.queue import claiming, queue
from kept.storage.queue.claiming import Claiming, Postponed

log = structlog.get_logger("kept.jobs")

RENEWALS_PER_LEASE: Final = 3
CANCEL_GRACE_SECONDS: Final = 5.0
# A job that met a database outage comes back once the database had time to recover, or when its lease ends.
OUTAGE_RETRY_SECONDS: Final = 2.0
RELEASE_TRIES: Final = 6

MESSAGES: Final = {
    FailureCode.WORKER_LOST: "Saving this page was interrupted too often.",
    FailureCode.INGEST_FAILED: "Something went wrong on the server each time. It has been logged.",
    FailureCode.INGEST_TIMEOUT: "Saving this page took too long.",
}
# Messages for one attempt that ended so.
ATTEMPT_MESSAGES: Final = {
    FailureCode.INGEST_FAILED: "Something went wrong on the server. It has been logged.",
    FailureCode.INGEST_TIMEOUT: MESSAGES[FailureCode.INGEST_TIMEOUT],
}

Work = Coroutine[Any, Any, None]
OnFailure = Callable[[ClaimedJob, FailureCode, str], Work]


@dataclass(frozen=True, slots=True)
class Handler:
    """How a kind of job is run, and what happens when it fails.

    `on_exhausted`, when the attempts are used up, ends the subject with that code and finishes the job.
    `on_attempt_failed`, where there is one, records an attempt that crashed or took too long, and gives the job back or
    ends it; without it the job is tried again until its attempts are used up. `warm_up` starts what a job needs and
    what takes a while to start; called when one will soon be due. `expect_backlog` is called every second while many
    jobs of this kind are due and every slot is taken.
    """

    run: Callable[[ClaimedJob], Work]
    on_exhausted: OnFailure
    on_attempt_failed: OnFailure | None = None
    warm_up: Callable[[], None] | None = None
    expect_backlog: Callable[[], None] | None = None


Handlers = Mapping[JobKind, Handler]
OpenHandlers = Callable[[Settings, Database], AbstractAsyncContextManager[Handlers]]


@dataclass(frozen=True, slots=True)
class RunRules:
    lease_seconds: float
    job_seconds: float
    max_attempts: int
    retry_backoff_base: float

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        job_seconds = settings.limits.job_seconds
        return cls(settings.lease_seconds, job_seconds, settings.max_attempts, settings.retry_backoff_base)


class Ending(StrEnum):
    """How a job ended for a worker."""

    FINISHED = "finished"
    RETRIED = "retried"
    GAVE_UP = "gave_up"
    LOST = "lost"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Overrun:
    """The time was up before the work was done."""


class JobRunner:
    def __init__(
        self, database: Database, handlers: Handlers, rules: RunRules, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.database, self.handlers, self.rules, self.now = database, handlers, rules, now

    def kinds_of(self, queue: Queue) -> tuple[JobKind, ...]:
        """Return the kinds this queue carries that have a handler here; others stay queued."""
        return tuple(kind for kind in JobKind if QUEUE_OF[kind] is queue and kind in self.handlers)

    async def claim(self, queue: Queue, rules: Claiming, busy: Collection[UUID] | None = None) -> ClaimedJob | None:
        """Claim the most urgent job that may run now; None if there is none, or another worker was quicker.

        With `busy`, only a job that a user outside of it waits for is claimed.
        """
        kinds = self.kinds_of(queue)
        while kinds:
            claimed = await self.database.write(claiming.claim, queue, kinds, now=self.now(), rules=rules, busy=busy)
            if not isinstance(claimed, Postponed):
                return claimed
        return None

    async def run(self, job: ClaimedJob) -> Ending:
        """Run a job without raising for what its handler does; if cancelled, give it back, uncounted."""
        structlog.contextvars.bind_contextvars(request_id=job.request_id)
        told = {"kind": job.kind, "subject_id": str(job.subject_id), "host": job.host, "attempt": job.attempt}
        log.info("job.claimed", **told)
        JOBS_CLAIMED.labels(job.kind).inc()
        started = time.perf_counter()
        ending = await self._run_leased(job)
        seconds = time.perf_counter() - started
        JOBS_ENDED.labels(job.kind, ending).inc()
        JOB_SECONDS.labels(job.kind).observe(seconds)
        level = log.warning if ending in {Ending.LOST, Ending.GAVE_UP} else log.info
        level(f"job.{ending}", **told, ms=round(seconds * 1000))
        return ending

    async def _run_leased(self, job: ClaimedJob) -> Ending:
        work = asyncio.create_task(self._work(job))
        lease = asyncio.create_task(self._renew_until_lost(job))
        try:
            await asyncio.wait({work, lease}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await end(work)
                return Ending.LOST
            return work.result()
        except asyncio.CancelledError:
            await end(work)
            return await self._release(job, self.now())
        finally:
            lease.cancel()

    async def _renew_until_lost(self, job: ClaimedJob) -> None:
        while True:
            await asyncio.sleep(self.rules.lease_seconds / RENEWALS_PER_LEASE)
            try:
                await self.database.write(queue.renew, job, now=self.now(), lease_seconds=self.rules.lease_seconds)
            except LeaseLost:
                return
            except Exception as error:  # an outage most likely; until the lease ends there are more tries
                log.warning("job.not_renewed", subject_id=str(job.subject_id), error=first_line(error))

    async def _work(self, job: ClaimedJob) -> Ending:
        # Given back with its attempts used up: a worker could not end it, perhaps one of an older version that does not
        # know a state the subject is in. It has a fair attempt here.
        if job.attempt > self.rules.max_attempts and job.is_previous_lost:
            return await self._end_exhausted(job, FailureCode.WORKER_LOST)
        handler = self.handlers[job.kind]
        try:
            if isinstance(await run_for(handler.run(job), self.rules.job_seconds), Overrun):
                return await self._end_overrun(job)
            return await self._read_ending(job)
        except LeaseLost:
            return Ending.LOST
        except Exception as error:
            return await self._end_crash(job, error)

    async def _end_overrun(self, job: ClaimedJob) -> Ending:
        log.warning("job.timed_out", kind=job.kind, subject_id=str(job.subject_id), host=job.host)
        return await self._end_failed_attempt(job, FailureCode.INGEST_TIMEOUT)

    async def _end_crash(self, job: ClaimedJob, error: Exception) -> Ending:
        if is_outage(error):
            log.warning("job.met_outage", subject_id=str(job.subject_id), error=first_line(error))
            return await self._release(job, self.now() + timedelta(seconds=OUTAGE_RETRY_SECONDS))
        log.error("job.crashed", kind=job.kind, subject_id=str(job.subject_id), host=job.host, exc_info=error)
        return await self._end_failed_attempt(job, FailureCode.INGEST_FAILED)

    async def _end_failed_attempt(self, job: ClaimedJob, code: FailureCode) -> Ending:
        on_attempt_failed = self.handlers[job.kind].on_attempt_failed
        if on_attempt_failed is None:
            return await self._retry_or_exhaust(job, code)
        try:
            await run_for(on_attempt_failed(job, code, ATTEMPT_MESSAGES[code]), self.rules.job_seconds)
            return await self._read_ending(job)
        except LeaseLost:
            return Ending.LOST
        except Exception as error:  # an attempt that cannot be recorded still counts
            log.error("job.not_told", kind=job.kind, subject_id=str(job.subject_id), exc_info=error)
            return await self._retry_or_exhaust(job, code)

    async def _retry_or_exhaust(self, job: ClaimedJob, code: FailureCode) -> Ending:
        decision = decide_retry(
            attempt=job.attempt,
            max_attempts=self.rules.max_attempts,
            now=self.now(),
            base_seconds=self.rules.retry_backoff_base,
        )
        if isinstance(decision, RetryAt):
            return await self._give_back(job, decision.at, counts=True)
        return await self._end_exhausted(job, code)

    async def _end_exhausted(self, job: ClaimedJob, code: FailureCode) -> Ending:
        try:
            await run_for(self.handlers[job.kind].on_exhausted(job, code, MESSAGES[code]), self.rules.job_seconds)
            await self._read_ending(job)
        except LeaseLost:
            return Ending.LOST
        except Exception as error:
            log.error("job.not_given_up", kind=job.kind, subject_id=str(job.subject_id), exc_info=error)
            wait_seconds = seconds_before(job.attempt, base_seconds=self.rules.retry_backoff_base)
            return await self._give_back(job, self.now() + timedelta(seconds=wait_seconds), counts=True)
        return Ending.GAVE_UP

    async def _read_ending(self, job: ClaimedJob) -> Ending:
        """Return how the job ended, which its row shows."""
        try:
            row = await self.database.read(queue.find_job, job.kind, job.subject_id)
        except Exception as error:
            if is_outage(error):  # the handler's own writes went well, or it would not have returned
                return Ending.FINISHED
            raise
        if row is None:
            return Ending.FINISHED
        if row.lease_token != job.lease_token:
            return Ending.RETRIED
        raise RuntimeError(f"the handler of {job.kind} returned without finishing its job")

    async def _release(self, job: ClaimedJob, run_at: datetime) -> Ending:
        return await self._give_back(job, run_at, counts=False)

    async def _give_back(self, job: ClaimedJob, run_at: datetime, *, counts: bool) -> Ending:
        """Give a job back, even through a short outage: otherwise the lease must end first, and the attempt counts."""
        for number in range(RELEASE_TRIES):
            try:
                await self.database.write(queue.retry_later, job, run_at, counts=counts)
            except LeaseLost:
                return Ending.LOST
            except Exception as error:
                if not is_outage(error):
                    raise
                await asyncio.sleep(min(2.0**number, LONGEST_WAIT_SECONDS) / 4)
            else:
                return Ending.RETRIED if counts else Ending.RELEASED
        return Ending.LOST


async def run_for(work: Work, seconds: float) -> Overrun | None:
    """Let the work run for that long and not longer; what it raises is raised."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await end(task)
        raise
    if not task.done():
        await end(task)
        return Overrun()
    await task
    return None


async def end(task: "asyncio.Task[object]") -> None:
    """Cancel a task and wait a little; one that does not end is left behind, with a line in the log."""
    task.cancel()
    await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
    if not task.done():
        log.error("job.stuck", task=repr(task))
        return
    with suppress(asyncio.CancelledError):
        if task.exception() is not None:
            log.debug("job.ended_badly", exc_info=task.exception())
