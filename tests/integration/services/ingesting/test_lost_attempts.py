"""Attempts that end badly are told: a crash of ours, a worker that was lost, a page that crashes its browser.

DESIGN §4 and §7; issue "ingest": such a page fails alone, with its reason in the history, after its attempts.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, cast
from uuid import UUID

import pytest
from sqlalchemy import update

from kept.domain.lifecycle import Lifecycle, Transition
from kept.domain.media import Media
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.jobs.queue import ClaimedJob, JobKind, Queue
from kept.jobs.running import Ending, Handler, JobRunner, RunRules
from kept.services.ingesting.ingest_media import begin_attempt, fall_short, give_up, ingest_media
from kept.services.ingesting.render_media import render_media
from kept.storage import lifecycles, media
from kept.storage.tables import jobs
from kept.subprocesses.extractor_pool import ExtractorPool
from support.origin import Origin, article
from support.serving import Person, RunningKept
from support.working import Worker, run_worker

LATER = timedelta(minutes=15)
SENTENCE = "The harbour was quiet that morning, and nobody who walked along it thought of the storm to come. "
BODY = "<article><h1>The harbour</h1>" + f"<p>{SENTENCE * 4}</p>" * 6 + "</article>"
SHELL = "<!doctype html><title>App</title><body><div id=root></div><script src=/app.js></script></body>"


class BrokenExtractors:
    """A bug of ours: it raises whatever page it gets."""

    async def extract(self, page: object) -> Any:
        raise ZeroDivisionError


class CrashingBrowsers:
    """A page that crashes every browser it meets."""

    async def render(self, *_: object, **__: object) -> FetchFailed:
        return FetchFailed(FetchReason.PAGE_CRASHED)


@pytest.fixture
async def ann(saving: RunningKept) -> Person:
    return await saving.make_person("ann")


@pytest.fixture
async def worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    """Somewhere there is a browser; here there is none, so that no test starts one."""
    async with run_worker(saving, extractors) as worker:
        ingester = replace(worker.ingester, can_render=True)
        yield Worker(replace(worker.renderer, ingester=ingester, browsers=cast("BrowserPool", CrashingBrowsers())))


async def save(person: Person, url: str) -> UUID:
    return UUID((await person.post("/api/v1/items", {"url": url})).data["media_id"])


async def read(saving: RunningKept, media_id: UUID) -> tuple[Media, list[Transition]]:
    async with saving.kept.database.read() as tx:
        found = await media.find_media(tx, media_id)
        assert found is not None
        return found, await lifecycles.list_transitions(tx, media_id)


def told(lines: list[Transition], lifecycle: Lifecycle = Lifecycle.PROCESSING) -> list[tuple[Any, Any]]:
    """Code and attempt of the lines that tell of a failed attempt."""
    failed = [line.metadata for line in lines if line.lifecycle is lifecycle and "code" in line.metadata]
    assert all(line["message"] for line in failed)
    return [(line["code"], line["attempt"]) for line in failed]


def runner_of(worker: Worker) -> JobRunner:
    ingester, renderer = worker.ingester, worker.renderer
    ends = partial(give_up, ingester), partial(fall_short, ingester)
    handlers = {
        JobKind.INGEST: Handler(partial(ingest_media, ingester), *ends),
        JobKind.RENDER: Handler(partial(render_media, renderer), *ends),
    }
    return JobRunner(ingester.database, handlers, RunRules.from_settings(ingester.settings))


async def claim(worker: Worker, queue: Queue = Queue.INGEST) -> ClaimedJob:
    job = await worker.claim(queue, ahead=LATER)
    assert job is not None
    return job


async def test_every_attempt_that_crashed_is_in_the_history_with_its_reason(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", article(body=BODY)))
    broken = replace(worker.ingester, extractors=cast("ExtractorPool", BrokenExtractors()))
    runner = runner_of(Worker(replace(worker.renderer, ingester=broken)))
    endings = [await runner.run(await claim(worker)) for _ in range(3)]
    found, lines = await read(saving, media_id)
    assert endings == [Ending.RETRIED, Ending.RETRIED, Ending.FINISHED]
    assert told(lines) == [("E_INGEST_FAILED", 1), ("E_INGEST_FAILED", 2), ("E_INGEST_FAILED", 3)]
    assert (found.processing_status, found.failure_code) == ("failed", "E_INGEST_FAILED")
    assert "next_retry_at" in lines[-3].metadata
    assert await worker.count_jobs() == {}


async def test_an_attempt_whose_worker_was_lost_is_in_the_history(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", article(body=BODY)))
    for _ in range(2):
        await begin_attempt(worker.ingester, await worker_claims_and_dies(saving, worker))
    await worker.run(await claim(worker))
    found, lines = await read(saving, media_id)
    assert found.is_readable
    assert told(lines) == [("E_WORKER_LOST", 1), ("E_WORKER_LOST", 2)]
    assert found.processing_attempts == 3


async def test_a_page_whose_workers_are_all_lost_ends_with_a_line_for_each(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", article(body=BODY)))
    for _ in range(3):
        await begin_attempt(worker.ingester, await worker_claims_and_dies(saving, worker))
    assert await runner_of(worker).run(await claim(worker)) is Ending.GAVE_UP
    found, lines = await read(saving, media_id)
    assert (found.processing_status, found.failure_code) == ("failed", "E_WORKER_LOST")
    assert told(lines) == [("E_WORKER_LOST", attempt) for attempt in (1, 2, 3)]
    assert await worker.count_jobs() == {}


async def test_a_worker_lost_after_an_attempt_that_failed_is_told_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", article(body=BODY)))
    broken = replace(worker.ingester, extractors=cast("ExtractorPool", BrokenExtractors()))
    await runner_of(Worker(replace(worker.renderer, ingester=broken))).run(await claim(worker))
    await begin_attempt(worker.ingester, await worker_claims_and_dies(saving, worker))
    await worker.run(await claim(worker))
    _, lines = await read(saving, media_id)
    assert told(lines) == [("E_INGEST_FAILED", 1), ("E_WORKER_LOST", 2)]


async def test_a_worker_lost_with_the_browser_is_told_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", SHELL))
    await worker.run(await claim(worker))
    await worker_claims_and_dies(saving, worker, Queue.RENDER)
    await worker.run(await claim(worker, Queue.RENDER))
    _, lines = await read(saving, media_id)
    assert told(lines) == [("E_WORKER_LOST", 1), ("E_INGEST_FAILED", 2)]


async def test_a_page_that_crashes_its_browser_fails_after_its_attempts(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", SHELL))
    assert await worker.work_off(ahead=LATER) == 1 + 3
    found, lines = await read(saving, media_id)
    assert (found.processing_status, found.failure_code) == ("failed", "E_INGEST_FAILED")
    assert told(lines) == [("E_INGEST_FAILED", attempt) for attempt in (1, 2, 3)]
    assert await worker.count_jobs() == {}


async def test_a_screenshot_that_could_not_be_taken_says_why_in_the_cards_history(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    media_id = await save(ann, origin.page("/a", article(image=None, body=BODY)))
    assert await worker.work_off(ahead=LATER) == 1 + 3
    found, lines = await read(saving, media_id)
    assert (found.processing_status, found.enrichment_status) == ("ready_for_reading", "succeeded")
    assert told(lines, Lifecycle.ENRICHMENT) == [("E_INGEST_FAILED", attempt) for attempt in (1, 2, 3)]


async def worker_claims_and_dies(saving: RunningKept, worker: Worker, queue: Queue = Queue.INGEST) -> ClaimedJob:
    """Its lease ends without a word; the next claim looks far enough ahead."""
    job = await claim(worker, queue)
    async with saving.kept.database.write() as tx:
        await tx.execute(update(jobs).where(jobs.c.id == job.id).values(lease_until=job.lease_until - 2 * LATER))
    return job
