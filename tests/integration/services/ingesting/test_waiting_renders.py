"""Visits by a browser that nobody makes: pages end without one, and nothing stays pending for ever."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from kept.clock import utc_now
from kept.domain.job import Queue
from kept.services.ingesting.attempts import end_waiting_renders
from kept.wiring.worker import open_executor
from support.builders.articles import BODY, get_media
from support.builders.jobs import until_empty
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "nothing stays pending for ever without a render worker")

PATIENCE = timedelta(seconds=86_400)


def after(wait: timedelta) -> Callable[[], datetime]:
    return lambda: utc_now() + wait


async def end_renders(worker: Worker, *, wait: timedelta = timedelta(), **settings: Any) -> int:
    chosen = worker.ingester.settings.model_copy(update=settings)
    ingester = replace(worker.ingester, settings=chosen, now=after(wait))
    return await end_waiting_renders(ingester, look_seconds=0)


async def save_and_hand_over(ann: Person, origin: Origin, worker: Worker) -> tuple[Any, Any, Any]:
    """A page that wants a screenshot, one that its site refuses, and one that says nothing."""
    readable = await ann.save(origin.page("/readable", article("Titled", image=None, body=BODY)))
    refused = await ann.save(origin.page("/refused", "no", status=404))
    empty = await ann.save(origin.page("/empty", article("Known", image=None, body="<p>Hi.</p>")))
    await worker.with_browser_elsewhere().work_off(Queue.INGEST)
    assert worker.count_jobs() == {"render": 3}
    return readable, refused, empty


@on_both_databases
async def test_without_a_render_worker_pages_end_as_without_a_browser(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    items = await save_and_hand_over(ann, origin, worker)
    assert await end_renders(worker, wait=PATIENCE - timedelta(minutes=5)) == 0
    assert worker.count_jobs() == {"render": 3}
    assert await end_renders(worker, wait=PATIENCE + timedelta(minutes=5)) == 3
    assert worker.count_jobs() == {}
    readable, refused, empty = (get_media(saving, item) for item in items)
    assert (readable.processing_status, readable.enrichment_status) == ("ready_for_reading", "succeeded")
    assert (refused.processing_status, refused.failure_code) == ("failed", "E_FETCH_FAILED")
    assert (refused.failure_message, refused.enrichment_status) == ("The site answered with an error (404).", "failed")
    assert (empty.processing_status, empty.failure_code) == ("failed", "E_EXTRACT_NO_CONTENT")
    assert (empty.title, empty.enrichment_status) == ("Known", "succeeded")


async def test_a_long_queue_that_somebody_works_off_is_not_given_up(
    ann: Person, origin: Origin, worker: Worker
) -> None:
    await save_and_hand_over(ann, origin, worker)
    much_later = PATIENCE + timedelta(minutes=5)
    assert worker.claim(Queue.RENDER, ahead=much_later) is not None
    assert await end_renders(worker, wait=much_later, lease_seconds=60) == 0
    assert worker.count_jobs() == {"render": 3}


async def test_pages_that_were_left_to_the_browser_are_fetched_once_there_is_none(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Titled", image=None, body=BODY)))
    always = replace(worker.ingester, settings=worker.ingester.settings.model_copy(update={"render": "always"}))
    await Worker(replace(worker.renderer, ingester=always)).with_browser_elsewhere().work_off(Queue.INGEST)
    assert worker.count_jobs() == {"render": 1}
    assert await end_renders(worker, render="never") == 1
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.processing_status, found.enrichment_status) == ("ready_for_reading", "succeeded")


async def test_a_worker_that_starts_with_never_ends_the_visits_that_wait(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    items = await save_and_hand_over(ann, origin, worker)
    settings = saving.kept.settings.model_copy(update={"render": "never", "store_images": False})
    async with open_executor(settings, {Queue.INGEST: 1}) as executor:
        working = asyncio.create_task(executor.run())
        await until_empty(saving.kept.database)
        executor.stop()
        await working
    states = [get_media(saving, item).processing_status for item in items]
    assert states == ["ready_for_reading", "failed", "failed"]
    assert "pending" not in {get_media(saving, item).enrichment_status for item in items}
