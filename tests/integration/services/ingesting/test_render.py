"""What the browser adds: screenshots, and pages that only scripts or browsers get to see (specification 000 US2)."""

import asyncio
import gzip
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web
from prometheus_client import REGISTRY

from kept.domain.job import Queue
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.builders.articles import BODY, get_media, list_history
from support.builders.pictures import photograph
from support.builders.saved_documents import page_about, pdf_of
from support.servers.origin import Handler, Origin, article
from support.servers.serving import Person, RunningKept, change_limits
from support.servers.working import Worker, run_worker

LATER = timedelta(minutes=15)


@pytest.fixture
def worker(browser_worker: Worker) -> Worker:
    """Every test here is about a browser."""
    return browser_worker


def count_visits(outcome: str) -> float:
    """As /metrics tells it."""
    return REGISTRY.get_sample_value("kept_renders_total", {"outcome": outcome}) or 0.0


@pytest.mark.requirement("000", "FR-011", "FR-012", "US2.1", "FR-026")
async def test_us2_1_fr_011_fr_012_a_readable_page_without_a_picture_is_readable_first_and_pictured_after(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Title", "Excerpt", None, BODY)))
    await worker.work_off(Queue.INGEST)
    readable = get_media(saving, item)
    assert (readable.is_readable, readable.enrichment_status, readable.thumbnail_key) == (True, "pending", None)
    origin.page("/a", article("Other title", "Other excerpt", None, BODY))  # what the card says by now stays
    before = count_visits("screenshot")
    await worker.work_off(Queue.RENDER)
    pictured = get_media(saving, item)
    assert (pictured.enrichment_status, pictured.title, pictured.excerpt) == ("succeeded", "Title", "Excerpt")
    assert pictured.thumbnail_key is not None
    assert count_visits("screenshot") == before + 1
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


CHALLENGE = """<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x.js"></script>
    <h1>Checking your browser</h1><p>Verifying you are human. This may take a few seconds.</p>"""
LOGIN = f"""<title>Sign in</title><h1>Sign in</h1><form><input name=u><input type=password></form>
<p>{"Members read all there is. " * 20}</p>"""
CONSENT = "<title>Paper</title><h1>We value your privacy</h1><p>Choose.</p><button>Agree</button>"
WALLS = {
    "robot check": (CHALLENGE, 200, "E_EXTRACT_CHALLENGE"),
    "robot check with 403": (CHALLENGE, 403, "E_EXTRACT_CHALLENGE"),
    "login with 401": (LOGIN, 401, "E_EXTRACT_LOGIN"),
    "consent": (CONSENT, 200, "E_EXTRACT_CONSENT"),
}


@pytest.mark.requirement(
    "000", "edge case: login wall or captcha", "walls, other files and half pages get a screenshot"
)
@pytest.mark.requirement(
    "differs", "000 edge case: a wall's metadata fills the card → only a login page's; any wall's screenshot"
)
async def test_a_wall_fills_the_screenshot_and_never_the_article_or_the_title(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    items = {}
    for number, (name, (page, status, _)) in enumerate(WALLS.items()):
        items[name] = await ann.save(origin.page(f"/{number}", page, status=status))
    await worker.work_off(ahead=LATER)
    for name, item in items.items():
        found = get_media(saving, item)
        assert (found.processing_status, found.failure_code) == ("failed", WALLS[name][2]), name
        assert (found.title, found.enrichment_status) == (None, "succeeded"), name
        assert (await ann.get(f"/api/v1/items/{item['id']}/thumbnail")).status == 200, name


ERRORS = {
    "404": ("<title>Gone</title><p>Nothing here.", 404, "E_FETCH_FAILED"),
    "403": ("<title>Oh</title><p>Nothing for you.", 403, "E_FETCH_FAILED"),
    "500": ("<title>Oh</title><p>It broke.", 500, "E_FETCH_FAILED"),
    "soft 404": ("<title>Page not found</title><h1>Page not found</h1>", 200, "E_EXTRACT_SOFT_404"),
    "an error that says 200": ("<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>", 200, "E_FETCH_FAILED"),
}


@pytest.mark.requirement("000", "FR-014", "US2.2", "error pages and soft 404s get no screenshot")
async def test_an_error_page_is_no_cover_and_a_card_of_which_nothing_is_known_fails(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    items = {}
    for number, (name, (page, status, _)) in enumerate(ERRORS.items()):
        items[name] = await ann.save(origin.page(f"/{number}", page, status=status))
    await worker.work_off(ahead=LATER)
    for name, item in items.items():
        found, (_, status, code) = get_media(saving, item), ERRORS[name]
        assert (found.processing_status, found.failure_code) == ("failed", code), name
        assert (found.title, found.thumbnail_key, found.enrichment_status) == (None, None, "failed"), name
        if status >= 400:
            assert found.failure_message == f"The site answered with an error ({status})."


def turns_clients_away(refuse: Handler) -> Handler:
    """Only a browser gets the article."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if "Sec-Fetch-Mode" in request.headers or "Accept-Language" in request.headers:
            return web.Response(text=article("Let in", body=BODY), content_type="text/html")
        return await refuse(request)

    return answer


def with_status(status: int) -> Handler:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=status, text="no")

    return answer


async def reset(request: web.BaseRequest) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def stall(request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.Event().wait()
    return web.Response()


REFUSALS = {
    **{str(status): with_status(status) for status in (401, 403, 404, 410, 429, 500, 503)},
    "connection error": reset,
    "time-out": stall,
}


@pytest.mark.requirement("000", "FR-013", "US2.3")
async def test_fr_011_fr_013_the_browser_is_tried_whatever_our_own_fetch_met(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    items = {}
    for number, (name, refuse) in enumerate(REFUSALS.items()):
        items[name] = await ann.save(origin.on(f"/{number}", turns_clients_away(refuse)), wait=False)
    settings = change_limits(saving.kept.settings, fetch_read_seconds=0.5)
    async with run_worker(saving, extractors, settings) as worker:
        await worker.work_off(ahead=LATER)
    for name, item in items.items():
        found = get_media(saving, item)
        assert (found.is_readable, found.title, found.enrichment_status) == (True, "Let in", "succeeded"), name


async def test_a_site_that_stays_down_gets_one_visit_by_the_browser_and_keeps_its_reason(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.on("/a", reset), wait=False)
    await worker.work_off(Queue.INGEST, ahead=LATER)
    before = origin.requests["/a"]
    await worker.work_off(Queue.RENDER, ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_FETCH_FAILED")
    assert found.failure_message == "The site broke off the connection."
    assert origin.requests["/a"] - before == 1
    assert worker.count_jobs() == {}


@pytest.mark.requirement("000", "walls, other files and half pages get a screenshot")
@pytest.mark.requirement("002", "§4 no half article: a stream that breaks off")
async def test_002_4_the_browser_makes_no_article_of_half_a_page_either(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    whole = gzip.compress(article("Half", image=None, body=BODY * 20).encode(), mtime=0)

    async def cut(request: web.BaseRequest) -> web.StreamResponse:
        headers = {"Content-Encoding": "gzip", "Content-Type": "text/html"}
        return web.Response(body=whole[: len(whole) * 3 // 4], headers=headers)

    item = await ann.save(origin.on("/a", cut), wait=False)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_FETCH_FAILED")
    assert found.failure_message == "The page broke off before its end."
    assert (found.title, found.enrichment_status, found.thumbnail_key is not None) == ("Half", "succeeded", True)


async def test_without_node_a_page_waits_and_becomes_an_article_once_it_is_there(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Titled", image=None, body=BODY)))
    settings = saving.kept.settings.model_copy(update={"node": Path("/nonexistent")})
    extractors = ExtractorPool.from_settings(settings)
    async with run_worker(saving, extractors, settings) as lacking:
        for _ in range(settings.max_attempts + 1):
            job = lacking.claim(Queue.INGEST, ahead=LATER)
            assert job is not None
            await lacking.run(job)
    await extractors.close()
    found = get_media(saving, item)
    assert (found.title, found.processing_status, found.failure_code) == ("Titled", "pending", None)

    await worker.work_off(ahead=LATER)
    assert get_media(saving, item).processing_status == "ready_for_reading"


async def test_without_node_a_page_that_was_left_to_the_browser_waits_too(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    item = await ann.save(origin.page("/a", article("Titled", image=None, body=BODY)))
    settings = saving.kept.settings.model_copy(update={"render": "always"})
    async with run_worker(saving, extractors, settings) as complete:
        await complete.work_off(Queue.INGEST)
        absent = ExtractorPool(None, ExtractorLimits())
        async with run_worker(saving, absent, settings) as lacking:
            job = lacking.claim(Queue.RENDER)
            assert job is not None
            await lacking.run(job)
        await absent.close()
        assert get_media(saving, item).processing_status == "extracting"

        await complete.work_off(Queue.RENDER, ahead=LATER)
    assert get_media(saving, item).processing_status == "ready_for_reading"


@pytest.mark.requirement("000", "walls, other files and half pages get a screenshot")
async def test_an_image_is_no_article_but_can_be_looked_at(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    url = origin.file("/a.png", photograph((400, 300)), "image/png")
    asked = (await ann.post("/api/v1/media/web-articles", {"url": url})).data
    await worker.work_off(ahead=LATER)
    found = get_media(saving, {"media_id": asked["id"]})
    assert (found.processing_status, found.failure_code) == ("failed", "E_FETCH_UNSUPPORTED_CONTENT_TYPE")
    assert (found.enrichment_status, found.thumbnail_key is not None) == ("succeeded", True)


@pytest.mark.requirement("000", "PDFs, EPUBs, blocked URLs and unknown names get no screenshot")
@pytest.mark.parametrize("content_type", ["application/pdf", "application/epub+zip"])
async def test_a_document_needs_no_browser(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, content_type: str
) -> None:
    await ann.save(origin.file("/a", b"%PDF-1.7 ...", content_type), wait=False)
    assert await worker.work_off(ahead=LATER) == 1
    assert worker.count_jobs() == {}


async def test_a_document_that_the_browser_visits_first_is_handed_back(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    always = saving.kept.settings.model_copy(update={"render": "always"})
    eager = Worker(replace(worker.renderer, ingester=replace(worker.ingester, settings=always)))
    item = await ann.save(origin.file("/a", pdf_of(page_about("ferry")), "application/pdf"), wait=False)
    await eager.work_off(Queue.INGEST, Queue.RENDER, Queue.INGEST, ahead=LATER)
    found = get_media(saving, item)
    assert (found.kind, found.processing_status) == ("pdf", "ready_for_reading")
    assert eager.count_jobs() == {}


@pytest.mark.requirement("000", "PDFs, EPUBs, blocked URLs and unknown names get no screenshot")
@pytest.mark.parametrize("target", ["http://10.0.0.1/", "http://no-such-name.invalid/"])
async def test_a_blocked_url_and_a_name_that_does_not_exist_need_no_browser(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, target: str
) -> None:
    item = await ann.save(origin.redirect("/a", target), wait=False)
    assert await worker.work_off(ahead=LATER) == 1
    assert get_media(saving, item).processing_status in {"blocked", "failed"}
    assert worker.count_jobs() == {}


async def test_an_error_page_is_no_cover_of_an_article_we_have(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Title", "Excerpt", None, BODY)))
    await worker.work_off(Queue.INGEST)
    origin.page("/a", "<title>Page not found</title><h1>Page not found</h1>")
    await worker.work_off(Queue.RENDER, ahead=LATER)
    found = get_media(saving, item)
    assert (found.is_readable, found.enrichment_status, found.thumbnail_key) == (True, "succeeded", None)


@pytest.mark.requirement("000", "FR-014", "US2.2")
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


@pytest.mark.requirement("000", "FR-013", "US2.3")
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


@pytest.mark.requirement(
    "000", "error pages and soft 404s get no screenshot", "a redirect to the front page is not the saved page"
)
async def test_the_browser_takes_no_front_page_for_a_deep_page_either(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.page("/", article("Front page", image=None, body=BODY))
    item = await ann.save(origin.redirect("/2020/gone", "/"), wait=False)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_EXTRACT_SOFT_404")
    assert (found.title, found.thumbnail_key, found.enrichment_status) == (None, None, "failed")


@pytest.mark.requirement("differs", "002 §4, 004 §8: the browser fetches every page → only with `KEPT_RENDER=always`")
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
