"""What the browser adds: screenshots, and pages that only scripts or browsers get to see (seed 000 US2)."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiohttp import web

from kept.domain.job import Queue
from kept.subprocesses.extractor_pool import ExtractorPool
from support.articles import BODY, get_media, list_history
from support.origin import Origin, article
from support.serving import Person, RunningKept
from support.working import Worker, run_worker

LATER = timedelta(minutes=15)


@pytest.fixture
async def worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    async with run_worker(saving, extractors) as worker:
        if not worker.ingester.can_render:
            pytest.skip("CHROMIUM IS NOT INSTALLED: rendering is not tested")
        yield worker


async def test_us2_1_fr_011_fr_012_a_readable_page_without_a_picture_is_readable_first_and_pictured_after(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Title", "Excerpt", None, BODY)))
    await worker.work_off(Queue.INGEST)
    readable = get_media(saving, item)
    assert (readable.is_readable, readable.enrichment_status, readable.thumbnail_key) == (True, "pending", None)
    await worker.work_off(Queue.RENDER)
    pictured = get_media(saving, item)
    assert (pictured.enrichment_status, pictured.title, pictured.excerpt) == ("succeeded", "Title", "Excerpt")
    assert pictured.thumbnail_key is not None
    thumbnail = await ann.get(f"/api/v1/items/{item['id']}/thumbnail")
    assert (thumbnail.status, thumbnail.body[:4], thumbnail.body[8:12]) == (200, b"RIFF", b"WEBP")
    assert worker.count_jobs() == {}


async def test_a_page_drawn_by_scripts_is_read_by_the_browser(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    shell = f"""<!doctype html><title>App</title><body><div id="root"></div><script>
      document.getElementById("root").innerHTML = {BODY!r}</script></body>"""
    item = await ann.save(origin.page("/a", shell))
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.is_readable, found.enrichment_status, found.title) == (True, "succeeded", "App")
    lines = list_history(saving, item)
    told = [line.record for line in lines if line.to_state == "ready_for_reading"]
    assert told[0].via == "browser"
    assert [line.to_state for line in lines if line.lifecycle == "processing"] == [
        "pending",
        "extracting",
        "extracting",
        "ready_for_reading",
    ]


async def test_a_site_that_turns_our_client_away_may_let_the_browser_in(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    async def picky(request: web.BaseRequest) -> web.StreamResponse:
        is_browser = "Sec-Fetch-Mode" in request.headers or "Accept-Language" in request.headers
        page = article("Let in", body=BODY)
        return web.Response(text=page, status=200 if is_browser else 403, content_type="text/html")

    item = await ann.save(origin.on("/a", picky))
    assert item["title"] is None
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.is_readable, found.title) == (True, "Let in")


async def test_a_challenge_that_stays_is_a_failure_with_its_own_reason_and_no_picture(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    page = """<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x.js"></script>
    <h1>Checking your browser</h1><p>Verifying you are human. This may take a few seconds.</p>"""
    item = await ann.save(origin.page("/a", page))
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_EXTRACT_CHALLENGE")
    assert (found.title, found.thumbnail_key, found.enrichment_status) == (None, None, "failed")


async def test_us2_2_fr_014_a_screenshot_that_fails_leaves_a_card_that_is_known_succeeded(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Title", "Excerpt", None, BODY)))
    await worker.work_off(Queue.INGEST)
    origin.page("/a", "gone", status=404)
    await worker.work_off(Queue.RENDER, ahead=LATER)
    found = get_media(saving, item)
    assert (found.enrichment_status, found.thumbnail_key, found.is_readable) == ("succeeded", None, True)
    assert worker.count_jobs() == {}


async def test_us2_3_fr_013_a_page_the_save_could_not_reach_gets_everything_from_the_worker(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", "down", status=500))
    assert (item["title"], item["enrichment_status"]) == (None, "pending")
    origin.page("/a", article("Up again", "Told", None, BODY))
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.title, found.excerpt, found.enrichment_status) == ("Up again", "Told", "succeeded")
    assert found.thumbnail_key is not None
    assert found.is_readable


async def test_render_always_sends_the_browser_to_every_page(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    settings = saving.kept.settings.model_copy(update={"render": "always"})
    item = await ann.save(origin.page("/a", article(body=BODY)))
    async with run_worker(saving, extractors, settings) as worker:
        await worker.work_off()
    found = get_media(saving, item)
    assert found.is_readable
    assert list_history(saving, item)[-1].record.via == "browser"
