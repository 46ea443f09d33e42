"""Attempts that end badly are told: a crash of ours, a worker that was lost, a page that crashes its browser.

Such a page fails alone, with its reason in the history, after its attempts.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, cast

import pytest
from sqlalchemy import update

from kept.clock import utc_now
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind, Queue
from kept.domain.lifecycle import Lifecycle, Transition
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.jobs.running import Ending, Handler, JobRunner, RunRules
from kept.services.ingesting.attempts import on_attempt_failed, on_exhausted
from kept.services.ingesting.ingest import ingest_media
from kept.services.ingesting.render import render_media
from kept.storage.tables import jobs
from kept.subprocesses.extraction import ExtractorPool
from support.builders.articles import BODY, get_media, list_history
from support.fixtures.transactions import writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker, run_worker

pytestmark = [
    pytest.mark.requirement("004", "§9 a worker that dies, `E_WORKER_LOST`; one that crashes, `E_INGEST_FAILED`"),
    pytest.mark.requirement("Kept", "every crashed or lost attempt has its reason in the history"),
]

LATER = timedelta(minutes=15)
SHELL = "<!doctype html><title>App</title><body><div id=root></div><script src=/app.js></script></body>"


class BrokenExtractors:
    """A bug of ours: it raises whatever page it gets."""

    def find_missing(self) -> None:
        return None

    async def extract(self, page: object, owner: object = None) -> Any:
        raise ZeroDivisionError


class CrashingBrowsers:
    """A page that crashes every browser it meets."""

    async def render(self, *_: object, **__: object) -> FetchFailed:
        return FetchFailed(FetchReason.PAGE_CRASHED)


@pytest.fixture
async def worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    """Somewhere there is a browser; here there is none, so that no test starts one."""
    async with run_worker(saving, extractors) as worker:
        ingester = replace(worker.ingester, can_render=True)
        yield Worker(replace(worker.renderer, ingester=ingester, browsers=cast("BrowserPool", CrashingBrowsers())))


def told(lines: list[Transition], lifecycle: Lifecycle = Lifecycle.PROCESSING) -> list[tuple[Any, Any]]:
    """Code and attempt of the lines that tell of a failed attempt."""
    lines = [line for line in lines if line.lifecycle is lifecycle and not line.record.handed_to]
    failed = [line.record for line in lines if line.record.code]
    assert all(record.message for record in failed)
    return [(record.code, record.attempt) for record in failed]


def runner_of(worker: Worker) -> JobRunner:
    ingester, renderer = worker.ingester, worker.renderer
    ends = partial(on_exhausted, ingester), partial(on_attempt_failed, ingester)
    handlers = {
        JobKind.INGEST: Handler(partial(ingest_media, ingester), *ends),
        JobKind.RENDER: Handler(partial(render_media, renderer), *ends),
    }
    return JobRunner(ingester.database, handlers, RunRules.from_settings(ingester.settings))


def claim(worker: Worker, queue: Queue = Queue.INGEST) -> ClaimedJob:
    job = worker.claim(queue, ahead=LATER)
    assert job is not None
    return job


async def test_every_attempt_that_crashed_is_in_the_history_with_its_reason(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    broken = replace(worker.ingester, extractors=cast("ExtractorPool", BrokenExtractors()))
    runner = runner_of(Worker(replace(worker.renderer, ingester=broken)))
    endings = [await runner.run(claim(worker)) for _ in range(3)]
    assert endings == [Ending.RETRIED, Ending.RETRIED, Ending.FINISHED]
    await runner.run(claim(worker, Queue.RENDER))
    found, lines = get_media(saving, item), list_history(saving, item)
    handed_over = [line.record.attempt for line in lines if line.record.handed_to]
    assert (told(lines), handed_over) == ([("E_INGEST_FAILED", 1), ("E_INGEST_FAILED", 2), ("E_INGEST_FAILED", 1)], [3])
    assert (found.processing_status, found.failure_code) == ("failed", "E_INGEST_FAILED")
    retried = [line.record for line in lines if line.record.next_retry_at]
    assert [record.attempt for record in retried] == [1, 2]
    assert worker.count_jobs() == {}


async def test_an_attempt_whose_worker_was_lost_is_in_the_history(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    for _ in range(2):
        await worker.die_reading(claim_and_lose(saving, worker))
    await worker.run(claim(worker))
    found, lines = get_media(saving, item), list_history(saving, item)
    assert found.is_readable
    assert told(lines) == [("E_WORKER_LOST", 1), ("E_WORKER_LOST", 2)]
    assert found.processing_attempts == 3


async def test_a_page_whose_workers_are_all_lost_ends_with_a_line_for_each(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    for _ in range(3):
        await worker.die_reading(claim_and_lose(saving, worker))
    assert await runner_of(worker).run(claim(worker)) is Ending.GAVE_UP
    found, lines = get_media(saving, item), list_history(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_WORKER_LOST")
    assert told(lines) == [("E_WORKER_LOST", attempt) for attempt in (1, 2, 3)]
    assert worker.count_jobs() == {}


async def test_a_worker_lost_after_an_attempt_that_failed_is_told_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    broken = replace(worker.ingester, extractors=cast("ExtractorPool", BrokenExtractors()))
    await runner_of(Worker(replace(worker.renderer, ingester=broken))).run(claim(worker))
    await worker.die_reading(claim_and_lose(saving, worker))
    await worker.run(claim(worker))
    assert told(list_history(saving, item)) == [("E_INGEST_FAILED", 1), ("E_WORKER_LOST", 2)]


async def test_a_worker_lost_with_the_browser_is_told_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", SHELL))
    await worker.run(claim(worker))
    claim_and_lose(saving, worker, Queue.RENDER)
    await worker.run(claim(worker, Queue.RENDER))
    assert told(list_history(saving, item)) == [("E_WORKER_LOST", 1), ("E_INGEST_FAILED", 2)]


@pytest.mark.requirement("Kept", "a page that crashes its browser or reader fails alone")
async def test_a_page_that_crashes_its_browser_fails_after_its_attempts(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", SHELL))
    assert await worker.work_off(ahead=LATER) == 1 + 3
    found, lines = get_media(saving, item), list_history(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_INGEST_FAILED")
    assert told(lines) == [("E_INGEST_FAILED", attempt) for attempt in (1, 2, 3)]
    assert worker.count_jobs() == {}


@pytest.mark.requirement("000", "imported articles, servers without a browser and failed visits get no screenshot")
async def test_a_screenshot_that_could_not_be_taken_says_why_in_the_cards_history(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(image=None, body=BODY)))
    assert await worker.work_off(ahead=LATER) == 1 + 3
    found, lines = get_media(saving, item), list_history(saving, item)
    assert (found.processing_status, found.enrichment_status) == ("ready_for_reading", "succeeded")
    assert told(lines, Lifecycle.ENRICHMENT) == [("E_INGEST_FAILED", attempt) for attempt in (1, 2, 3)]


def claim_and_lose(saving: RunningKept, worker: Worker, queue: Queue = Queue.INGEST) -> ClaimedJob:
    """Its lease ends without a word; the next claim looks far enough ahead."""
    job = claim(worker, queue)
    with writing(saving.kept.database) as tx:
        tx.execute(update(jobs).where(jobs.c.id == job.id).values(lease_until=job.lease_until - 2 * LATER))
    return job


async def test_a_page_that_took_all_its_time_gives_way_to_others_before_it_is_tried_again(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """Twenty such pages would otherwise hold up everybody's for minutes."""
    await ann.save(origin.page("/slow", article(body=BODY)))
    slow = worker.claim(Queue.INGEST)
    assert slow is not None
    await on_attempt_failed(worker.ingester, slow, FailureCode.INGEST_TIMEOUT, "It took too long.")
    await ann.save(origin.page("/next", article(body=BODY)))
    with writing(saving.kept.database) as tx:  # as if it had been due for long
        tx.execute(update(jobs).where(jobs.c.subject_id == slow.subject_id).values(run_at=utc_now() - LATER))
    claimed = worker.claim(Queue.INGEST, ahead=LATER)
    assert claimed is not None
    assert claimed.subject_id != slow.subject_id
