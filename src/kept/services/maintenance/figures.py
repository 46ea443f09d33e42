"""Figures for operators: readiness, the queue, failures, and how well saving goes."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.errors import DatabaseReadOnly, DatabaseUnreachable, Unavailable
from kept.domain.job import Depth, Queue, QueueReport
from kept.domain.library import ALL_LIBRARIES
from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.statistics import CardStory, Figure, SuccessTally
from kept.jobs.notifier import Notifier
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import figures
from kept.storage.blobs.store import BlobStore
from kept.storage.database.dialects import read_postgresql_clock
from kept.storage.database.engine import Connection, Database
from kept.storage.figures import CardStep, Failure, Work
from kept.storage.media import count_card_only
from kept.storage.queue import report

ANSWER_SECONDS: Final = 3.0
FAILURES_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Readiness:
    problems: list[str]
    degraded: list[str]
    """Parts that every server of an instance shares, that are away, and that saving and reading can do without."""


@dataclass(frozen=True, slots=True)
class Success:
    figures: list[Figure]
    pages: int
    shared_pages: int
    double_pages: int


@dataclass(frozen=True, slots=True)
class FailureGroup:
    code: str | None
    count: int
    examples: list[Failure]


@dataclass(frozen=True, slots=True)
class QueueOverview:
    waiting_count: int
    running_count: int
    waiting: list[Work]
    running: list[Work]
    failures: list[FailureGroup]
    card_only_count: int

    @property
    def failure_count(self) -> int:
        return sum(group.count for group in self.failures)


async def check_database(database: Database) -> str:
    """Return which database answers, and where, without its password; raises DatabaseUnreachable if none does."""
    await database.check()
    if database.is_sqlite:
        return f"SQLite at {database.url.database}"
    return f"PostgreSQL at {database.url.host or 'its socket'}, {database.url.database}"


async def check_readiness(database: Database, blobs: BlobStore, notifier: Notifier) -> Readiness:
    """Return the problems that keep this process from serving, and what it can do without."""
    found = Readiness([], [])
    problem = await _find_database_problem(database)
    if problem is not None:
        found.problems.append(problem)
    if not await notifier.is_reachable():
        found.degraded.append("the broker does not answer: work waits")
    if not await _can_store_blobs(blobs):
        if blobs.is_shared:
            found.degraded.append("the bucket cannot be used: images wait")
        else:
            found.problems.append("the blob store cannot be written")
    return found


async def _find_database_problem(database: Database) -> str | None:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await database.check()
    except DatabaseReadOnly:
        return "the database cannot be written"
    except (DatabaseUnreachable, TimeoutError):
        return "the database does not answer"
    return None


async def _can_store_blobs(blobs: BlobStore) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await blobs.check()
    except (OSError, Unavailable):  # a TimeoutError is an OSError
        return False
    return True


def count_jobs(tx: Connection, *, now: datetime, lease_seconds: float) -> list[Depth]:
    """Count the jobs by kind and state, for the metrics."""
    return report.count_jobs(tx, now=now, lease_seconds=lease_seconds)


async def count_wakeups(settings: Settings) -> int:
    """Return how many wakeups of workers wait on the broker.

    ImportError is raised without the celery extra, and an error of the broker's client where it does not answer.
    """
    assert settings.broker_url is not None
    return await asyncio.to_thread(_count, settings.broker_url.get_secret_value())


def _count(broker_url: str) -> int:
    from kept.jobs.broker import WakeupSender  # the celery extra

    sender = WakeupSender(broker_url)
    try:
        return sum(sender.count(queue) for queue in Queue)
    finally:
        sender.close()


def list_failures(tx: Connection, viewer: Viewer, code: str | None, *, limit: int) -> list[Failure]:
    """List pages the viewer may see that failed for one reason and can be tried again."""
    return figures.list_failures(tx, viewer.user_id, code, limit=limit)


async def measure_clock_difference(database: Database, *, now: datetime) -> timedelta | None:
    """Return how far the database's clock is from ours; machines that share work must agree about the time.

    Returns None for SQLite, whose clock is ours, and for a database that is away.
    """
    if database.is_sqlite:
        return None
    try:
        return abs(now - await database.read(read_postgresql_clock))
    except (Unavailable, OSError):
        return None


async def measure_success(database: Database, since: datetime) -> Success:
    """Return how well saving has gone, as figures from the histories in the database."""
    tally = SuccessTally()
    async for steps in _iterate_histories(database, since):
        tally.add(_summarise(steps))
    return Success(tally.figures(), *await database.read(_count_pages, since))


async def _iterate_histories(database: Database, since: datetime) -> AsyncIterator[list[CardStep]]:
    """Yield the steps of one page at a time. A page may begin in one batch and end in the next."""
    pending: list[CardStep] = []
    while batch := await database.read(figures.list_card_steps, since, pending[-1] if pending else None):
        *complete, pending = _group_by_page([*pending, *batch])
        for steps in complete:
            yield steps
    if pending:
        yield pending


def _group_by_page(steps: Iterable[CardStep]) -> Iterator[list[CardStep]]:
    return (list(own) for _, own in groupby(steps, key=lambda step: step.media_id))


def _summarise(steps: list[CardStep]) -> CardStory:
    first = steps[0]
    imaged = (step.at - first.saved_at for step in steps if step.to_state == EnrichmentStatus.SUCCEEDED)
    return CardStory(
        is_refused=first.record.validation_reason is not None or first.to_state == EnrichmentStatus.FAILED,
        found_at_once=first.record.found or (),
        first_after=first.at - first.saved_at,
        image_after=next(imaged, None),
    )


def _count_pages(tx: Connection, since: datetime) -> tuple[int, int, int]:
    """Return the numbers of pages saved, of those in several libraries, and of those stored twice."""
    pages, shared = figures.count_shared_pages(tx, since)
    return pages, shared, figures.count_double_pages(tx)


def read_queue_overview(tx: Connection, viewer: Viewer, *, now: datetime) -> QueueOverview:
    """Return what waits, runs and failed, for the pages the viewer may see."""
    user_id = viewer.user_id
    return QueueOverview(
        figures.count_work(tx, user_id, now, running=False),
        figures.count_work(tx, user_id, now, running=True),
        figures.list_work(tx, user_id, now, running=False),
        figures.list_work(tx, user_id, now, running=True),
        [
            FailureGroup(code, count, figures.list_failures(tx, user_id, code, limit=FAILURES_SHOWN))
            for code, count in figures.count_failures(tx, user_id)
        ],
        count_card_only(tx, choose_readable_libraries(tx, viewer, ALL_LIBRARIES)),
    )


def report_queue(tx: Connection, *, now: datetime, lease_seconds: float) -> QueueReport:
    """Return the queue in numbers, for whoever runs the server: depth, the busiest hosts, the last failures."""
    depths = report.count_jobs(tx, now=now, lease_seconds=lease_seconds)
    return QueueReport(depths, report.count_hosts(tx), report.list_last_failures(tx))
