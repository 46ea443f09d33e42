"""From a saved page to an article (docs/requirements.md, 002, 003 and 004)."""

import gzip
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import structlog
from aiohttp import web
from sqlalchemy import func, select
from structlog.testing import LogCapture

from kept.content.page.kinds import MESSAGES
from kept.domain.failures import FailureCode
from kept.domain.job import JobKind, LeaseLost, NewJob, Priority, Queue
from kept.domain.lifecycle import Transition
from kept.services.ingesting.attempts import on_attempt_failed, on_exhausted
from kept.services.ingesting.ingest import ingest_media
from kept.storage import media, tables
from kept.storage.queue import queue
from support.builders.articles import BODY, SENTENCE, get_media, list_history
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

LATER = timedelta(minutes=15)


def states(lines: list[Transition]) -> list[str]:
    return [line.to_state for line in lines if line.lifecycle == "processing"]


def fragments_of(saving: RunningKept, media_id: UUID) -> list[Any]:
    with reading(saving.kept.database) as tx:
        rows = tx.execute(select(tables.fragments).where(tables.fragments.c.media_id == media_id))
        return list(rows.mappings())


# --- specification 002 §13: acceptance scenarios ---------------------------------------------------------------------


@pytest.mark.requirement("002", "§13 successful ingestion")
@pytest.mark.requirement("004", "§15 canonical text, fragment, state transitions")
@pytest.mark.requirement("differs", "002 §6: a retry increments `processing_attempts` → the worker does")
async def test_002_13_a_saved_page_becomes_an_article_without_a_second_request(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("The harbour", body=BODY)))
    assert await worker.work_off() == 1
    found = get_media(saving, item)
    [fragment] = fragments_of(saving, found.id)
    assert found.is_readable
    assert SENTENCE.strip() in fragment["canonical_text"]
    assert fragment["html_sanitized"].count("<p>") == 6
    assert origin.requests["/a"] == 1
    assert states(list_history(saving, item)) == ["pending", "extracting", "ready_for_reading"]
    assert worker.count_jobs() == {}
    assert (found.processing_attempts, found.processing_completed_at is not None) == (1, True)
    assert found.word_count == len(fragment["canonical_text"].split())


@pytest.mark.requirement("002", "§3 dedup rule, §12 two users converge", "§13 dedup attach")
async def test_002_13_another_person_who_saves_it_can_read_at_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    url = origin.page("/a", article(body=BODY))
    first = await ann.save(url)
    await worker.work_off()
    second = await (await saving.make_person("bob")).save(url)
    assert (second["media_id"], second["processing_status"]) == (first["media_id"], "ready_for_reading")
    assert await worker.work_off() == 0


@pytest.mark.requirement("002", "§12 no partial fragment of a failed ingestion", "§13 failed extraction, retry")
@pytest.mark.requirement("004", "§15 failure states with stage and reason")
@pytest.mark.requirement("differs", "004 §7, §10: names of errors and stages → those of 002")
async def test_002_13_an_unreadable_page_fails_and_says_why(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Empty", body="<p>Hi.</p>")))
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_EXTRACT_NO_CONTENT")
    assert found.failure_stage == "extract"
    assert found.failure_message
    assert found.enrichment_status == "succeeded"
    assert fragments_of(saving, found.id) == []


@pytest.mark.requirement("002", "§12 exactly one fragment, whatever happens")
@pytest.mark.requirement("004", "§7 states, idempotency guard")
async def test_004_7_a_ready_media_is_left_exactly_as_it_is(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    job = worker.claim(Queue.INGEST)
    assert job is not None
    await worker.run(job)
    before = get_media(saving, item), fragments_of(saving, UUID(item["media_id"]))
    with writing(saving.kept.database) as tx:
        again = NewJob(job.kind, job.subject_id, None, Priority.PERSON, job.run_at, None, None)
        queue.enqueue(tx, again, now=job.run_at)
    assert await worker.work_off(Queue.INGEST) == 1
    assert (get_media(saving, item), fragments_of(saving, UUID(item["media_id"]))) == before


# --- where the page comes from ----------------------------------------------------------------------------------------


@pytest.mark.requirement("004", "§15 redirects, dedup across redirects")
async def test_a_save_that_was_not_awaited_is_fetched_by_the_worker(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.page("/a", article("Fetched later", body=BODY))
    item = await ann.save(origin.redirect("/r", "/a"), wait=False)
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.title, found.is_readable, found.canonical_url) == ("Fetched later", True, origin.url("/a"))
    assert (found.enrichment_status, found.preview_image_url) == ("succeeded", origin.url("/picture.jpg"))
    told = list_history(saving, item)[-2].record
    assert (told.via, told.redirects, told.http_status) == ("http", 1, 200)


@pytest.mark.requirement("002", "§12 two users, one row; `canonical_url` unique in the database")
@pytest.mark.requirement("004", "§11 canonical URL and dedup", "§15 redirects, dedup across redirects")
async def test_004_11_two_addresses_of_one_page_become_one_media_and_nobody_loses_it(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    bob = await saving.make_person("bob")
    origin.page("/a", article("One", body=BODY))
    first = await ann.save(origin.redirect("/r1", "/a"), wait=False, tags=["x"])
    second = await bob.save(origin.redirect("/r2", "/a"), wait=False, note="Bob's")
    await worker.work_off()
    with reading(saving.kept.database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.media)).scalar_one() == 1
        winner = tx.execute(select(tables.media.c.id)).scalar_one()
        loser = UUID({first["media_id"], second["media_id"]}.difference({str(winner)}).pop())
        assert media.find_merged(tx, loser) == winner
    for person, item in ((ann, first), (bob, second)):
        seen = (await person.get(f"/api/v1/items/{item['id']}")).data
        assert (seen["media_id"], seen["processing_status"]) == (str(winner), "ready_for_reading")
        assert (seen["tags"], seen["note"]) == (item["tags"], item["note"])
    assert worker.count_jobs() == {}


@pytest.mark.requirement("002", "§6 codes, content types")
@pytest.mark.requirement("004", "§15 failure states with stage and reason")
@pytest.mark.requirement("Kept", "one message for a PDF where an article was asked for")
@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"%PDF-1.7 ...", "application/pdf", "E_FETCH_KIND_MISMATCH_PDF"),
        (b"%PDF-1.7 ...", "text/html", "E_FETCH_KIND_MISMATCH_PDF"),
        (b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/epub+zip", "", "E_FETCH_KIND_MISMATCH_EPUB"),
        (b"PK\x03\x04zip", "application/epub+zip", "E_FETCH_KIND_MISMATCH_EPUB"),
        (b"\x89PNG\r\n\x1a\n", "image/png", "E_FETCH_UNSUPPORTED_CONTENT_TYPE"),
        (b"{}", "application/json", "E_FETCH_UNSUPPORTED_CONTENT_TYPE"),
    ],
)
async def test_002_6_what_is_asked_for_as_an_article_and_is_no_page_says_what_it_is(
    saving: RunningKept,
    ann: Person,
    origin: Origin,
    worker: Worker,
    body: bytes,
    content_type: str,
    code: str,
) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, headers={"Content-Type": content_type} if content_type else {})

    asked = (await ann.post("/api/v1/media/web-articles", {"url": origin.on("/file", answer)})).data
    await worker.work_off()
    found = get_media(saving, {"media_id": asked["id"]})
    assert (found.processing_status, found.failure_code, found.kind) == ("failed", code, "web_article")
    assert found.failure_message == MESSAGES[FailureCode(code)], "one text, whoever finds out"
    assert found.enrichment_status == "failed"


async def test_a_failure_is_logged_with_its_code_and_reason(
    ann: Person, origin: Origin, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured = LogCapture()
    logger = structlog.wrap_logger(None, processors=[captured], wrapper_class=structlog.BoundLogger)
    monkeypatch.setattr("kept.services.ingesting.attempts.log", logger)

    async def gone(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=404)

    await ann.save(origin.on("/gone", gone), wait=False)
    await ann.save(origin.page("/short", "<p>Too little.</p>"), wait=False)
    await worker.work_off()
    why = {(line["event"], line["code"], line["reason"]) for line in captured.entries}
    assert why == {
        ("ingest.failed", "E_FETCH_FAILED", "http_status 404"),
        ("ingest.failed", "E_EXTRACT_NO_CONTENT", "No article was found on the page."),
    }


# --- failures and retries (specification 003 §5.2, specification 000 FR-023) ------------------------------------------


@pytest.mark.requirement("000", "FR-023")
@pytest.mark.requirement("003", "§5.2 retry strategy, §8.2")
@pytest.mark.requirement(
    "differs", "004 §10: no automatic retries → three attempts (002 §6, 003 §5.2), or `KEPT_MAX_ATTEMPTS`"
)
async def test_003_5_a_time_out_is_retried_and_every_attempt_is_in_the_history(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    async def reset(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    item = await ann.save(origin.on("/a", reset), wait=False)
    assert await worker.work_off(ahead=LATER) == 3
    found = get_media(saving, item)
    lines = list_history(saving, item)
    assert (found.processing_status, found.failure_code, found.processing_attempts) == ("failed", "E_FETCH_FAILED", 3)
    assert states(lines) == ["pending", "extracting", "extracting", "extracting", "failed"]
    assert [line.record.attempt for line in lines if line.lifecycle == "processing"] == [None, 1, 1, 2, 3]
    assert all(line.record.message for line in lines if line.record.code)
    assert found.enrichment_status == "failed"
    assert worker.count_jobs() == {}


async def test_a_page_that_comes_back_is_read_on_the_second_attempt(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.page("/a", "busy", status=503)
    item = await ann.save(origin.url("/a"), wait=False)
    assert await worker.work_off(Queue.INGEST) == 1
    origin.page("/a", article("Back", body=BODY))
    assert await worker.work_off(Queue.INGEST) == 0  # not before its time
    assert await worker.work_off(Queue.INGEST, ahead=LATER) == 1
    found = get_media(saving, item)
    assert (found.title, found.is_readable, found.failure_code) == ("Back", True, None)


@pytest.mark.requirement(
    "differs", "003 §5.2: 5xx and DNS failures are final → 503, 429 and failing name servers are retried"
)
async def test_retry_after_is_honoured_up_to_ten_minutes(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    async def busy(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=429, headers={"Retry-After": "300"})

    await ann.save(origin.on("/a", busy), wait=False)
    await worker.work_off(Queue.INGEST)
    assert await worker.work_off(Queue.INGEST, ahead=timedelta(seconds=290)) == 0
    assert worker.claim(Queue.INGEST, ahead=timedelta(seconds=310)) is not None


@pytest.mark.requirement("003", "§5.2 retry strategy, §8.2")
@pytest.mark.parametrize("status", [404, 410, 500, 401])
async def test_003_5_a_final_answer_is_final_at_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, status: int
) -> None:
    item = await ann.save(origin.page("/a", article("Error page"), status=status), wait=False)
    assert await worker.work_off(ahead=LATER) == 1
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code, found.title) == ("failed", "E_FETCH_FAILED", None)
    assert list_history(saving, item)[-2].record.http_status == status


@pytest.mark.requirement("002", "§4 no half article: a stream that breaks off")
@pytest.mark.parametrize("wait", [True, False])
async def test_002_4_a_compressed_page_that_breaks_off_never_becomes_half_an_article(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, wait: bool
) -> None:
    whole = gzip.compress(article("Whole", body=BODY * 20).encode(), mtime=0)

    async def cut(request: web.BaseRequest) -> web.StreamResponse:
        headers = {"Content-Encoding": "gzip", "Content-Type": "text/html"}
        return web.Response(body=whole[: len(whole) * 3 // 4], headers=headers)

    item = await ann.save(origin.on("/a", cut), wait=wait)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_FETCH_FAILED")
    assert found.failure_message == "The page broke off before its end."
    assert (found.title, found.enrichment_status) == ("Whole", "succeeded")  # its tags had come
    assert fragments_of(saving, found.id) == []


@pytest.mark.requirement("000", "a redirect to the front page is not the saved page")
@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("home", ["/", "/en/"])
async def test_a_deep_page_that_leads_to_the_front_page_is_not_the_front_page(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, wait: bool, home: str
) -> None:
    origin.page(home, article("Front page", body=BODY))
    item = await ann.save(origin.redirect("/2020/gone", home), wait=wait)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_EXTRACT_SOFT_404")
    assert (found.title, found.preview_image_url, found.canonical_url) == (None, None, None)
    assert fragments_of(saving, found.id) == []


@pytest.mark.parametrize("wait", [True, False])
async def test_a_front_page_that_is_saved_may_lead_to_its_language(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, wait: bool
) -> None:
    origin.page("/en/", article("Front page", body=BODY))
    item = await ann.save(origin.redirect("/", "/en/"), wait=wait)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.is_readable, found.title, found.canonical_url) == (True, "Front page", origin.url("/en/"))


async def test_a_redirect_inside_is_blocked_in_the_worker_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.redirect("/a", "http://10.0.0.1/"), wait=False)
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("blocked", "E_FETCH_FORBIDDEN")
    assert found.enrichment_status == "failed"
    assert "10.0.0.1" not in f"{found.failure_message} {[line.record for line in list_history(saving, item)]}"


@pytest.mark.requirement("003", "§3.2 transition metadata")
async def test_003_3_2_the_history_carries_the_metadata_of_every_step(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """Error message, retry count, HTTP status, time of the fetch and of a refusal its reason."""
    read = await ann.save(origin.page("/a", article(body=BODY)), wait=False)
    failed = await ann.save(origin.page("/b", "no", status=503), wait=False)
    blocked = await ann.save(origin.redirect("/c", "http://10.0.0.1/"), wait=False)
    await worker.work_off(ahead=LATER)
    ready = [line.record for line in list_history(saving, read) if line.to_state == "ready_for_reading"][-1]
    assert (ready.http_status, ready.attempt, ready.via) == (200, 1, "http")
    assert ready.fetch_ms is not None
    assert ready.fetch_ms >= 0
    assert ready.extract_ms is not None
    assert ready.extract_ms >= 0
    given_up = next(line.record for line in list_history(saving, failed) if line.to_state == "failed")
    assert (given_up.code, given_up.http_status, given_up.attempt) == ("E_FETCH_FAILED", 503, 3)
    assert given_up.message
    refused = [line.record for line in list_history(saving, blocked) if line.to_state == "blocked"][-1]
    assert (refused.code, refused.validation_reason) == ("E_FETCH_FORBIDDEN", "forbidden_address")


async def test_a_failed_page_keeps_what_its_card_knew(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Known", body="<p>Hi.</p>", image=None)))
    await worker.work_off()
    found = get_media(saving, item)
    assert (found.title, found.processing_status, found.enrichment_status) == ("Known", "failed", "succeeded")


async def test_a_new_item_on_a_failed_page_gives_it_one_fresh_attempt_and_an_old_item_does_not(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body="<p>Hi.</p>")))
    await worker.work_off()
    await ann.save(origin.url("/a"))
    assert worker.count_jobs() == {}
    origin.page("/a", article(body=BODY))
    await (await saving.make_person("bob")).save(origin.url("/a"))
    assert worker.count_jobs() == {"ingest": 1}
    await worker.work_off()
    assert get_media(saving, item).is_readable


@pytest.mark.requirement("004", "§9 hard wall clock, `E_INGEST_TIMEOUT`")
async def test_004_9_an_attempt_that_overran_is_told_and_tried_again_until_none_is_left(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    for _ in range(3):
        job = worker.claim(Queue.INGEST, ahead=LATER)
        assert job is not None
        await worker.die_reading(job)
        await on_attempt_failed(worker.ingester, job, FailureCode.INGEST_TIMEOUT, "It took too long.")
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_INGEST_TIMEOUT")
    lines = [line for line in list_history(saving, item) if line.record.code == "E_INGEST_TIMEOUT"]
    assert [line.record.attempt for line in lines] == [1, 2, 3]
    assert worker.count_jobs() == {}


@pytest.mark.requirement("004", "§9 a worker that dies, `E_WORKER_LOST`; one that crashes, `E_INGEST_FAILED`")
async def test_004_9_a_page_whose_workers_die_is_given_up_with_its_reason(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    job = worker.claim(Queue.INGEST)
    assert job is not None
    await worker.die_reading(job)
    await on_exhausted(worker.ingester, job, FailureCode.WORKER_LOST, "The worker was lost.")
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_WORKER_LOST")
    assert found.enrichment_status == "succeeded"
    assert worker.count_jobs() == {}


@pytest.mark.requirement("002", "§4 atomicity, §12 one fragment, immutable")
@pytest.mark.requirement("Kept", "a worker that lost its lease neither begins nor writes")
async def test_a_worker_that_lost_its_lease_writes_nothing(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    slow = worker.claim(Queue.INGEST)
    other = worker.claim(Queue.INGEST, ahead=timedelta(seconds=61))
    assert slow is not None
    assert other is not None
    await worker.run(other)
    with pytest.raises(LeaseLost):
        await ingest_media(worker.ingester, slow)
    assert len(fragments_of(saving, UUID(item["media_id"]))) == 1


@pytest.mark.requirement("Kept", "a worker that lost its lease neither begins nor writes")
async def test_a_worker_that_lost_its_lease_does_not_begin_either(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """Else a page that another worker has given up meanwhile would be extracting for ever, with no job."""
    item = await ann.save(origin.page("/a", article(body="<p>Hi.</p>")))
    stalled = worker.claim(Queue.INGEST)
    other = worker.claim(Queue.INGEST, ahead=timedelta(seconds=61))
    assert stalled is not None
    assert other is not None
    await worker.run(other)
    before = get_media(saving, item)
    with pytest.raises(LeaseLost):
        await ingest_media(worker.ingester, stalled)
    assert (get_media(saving, item)) == before
    assert before.processing_status == "failed"


@pytest.mark.requirement("004", "§15 XSS")
async def test_xss_never_reaches_a_fragment(saving: RunningKept, ann: Person, origin: Origin, worker: Worker) -> None:
    evil = BODY.replace("<p>", '<p onclick="alert(1)"><script>alert(1)</script><a href="javascript:alert(1)">x</a>')
    item = await ann.save(origin.page("/a", article(body=evil)))
    await worker.work_off()
    [fragment] = fragments_of(saving, UUID(item["media_id"]))
    assert "alert" not in fragment["html_sanitized"]


async def test_images_are_rewritten_to_our_own_addresses(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    body = BODY.replace("</h1>", '</h1><figure><img src="/photo.jpg" width=800 height=600></figure>')
    item = await ann.save(origin.page("/a", article(body=body)))
    await worker.work_off()
    [fragment] = fragments_of(saving, UUID(item["media_id"]))
    with reading(saving.kept.database) as tx:
        rows = tx.execute(select(tables.image_assets.c.origin_url, tables.image_assets.c.id))
        assets = {row.origin_url: row.id for row in rows}
    assert f'src="/api/images/{assets[origin.url("/photo.jpg")]}"' in fragment["html_sanitized"]
    assert origin.url("/picture.jpg") in assets
    assert origin.address not in fragment["html_sanitized"]


# --- without a browser nothing stays pending for ever ---------------------------------------------------------------


@pytest.mark.requirement("000", "imported articles, servers without a browser and failed visits get no screenshot")
async def test_without_a_browser_a_card_without_a_picture_ends_as_what_is_known(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Titled", image=None, body=BODY)))
    assert item["enrichment_status"] == "pending"
    await worker.work_off()
    assert get_media(saving, item).enrichment_status == "succeeded"
    assert JobKind.RENDER not in worker.count_jobs()
