"""Documents on their way: what a site calls a file, what it is, and how an attempt at one ends."""

import threading
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from aiohttp import web
from sqlalchemy import update

from kept.config import Settings
from kept.content.article.article import find_page_starts
from kept.content.article.safe_html import SafeHtml
from kept.domain.job import LeaseLost, Queue
from kept.services.ingesting.ingest import ingest_media
from kept.storage import captures, tables
from kept.storage.images import BLOB_FOLDERS
from kept.storage.queue import queue
from support.builders.articles import BODY, get_media
from support.builders.saved_documents import page_about, pdf_of, scanned_pdf
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept, change_limits
from support.servers.working import Worker

PDF = pdf_of(page_about("lighthouse"), page_about("ferry"))


def with_quota(worker: Worker, quota_bytes: int) -> Worker:
    return with_settings(worker, worker.ingester.settings.model_copy(update={"whole_page_quota_bytes": quota_bytes}))


def with_limits(worker: Worker, **changed: int) -> Worker:
    return with_settings(worker, change_limits(worker.ingester.settings, **changed))


def with_settings(worker: Worker, settings: Settings) -> Worker:
    return Worker(replace(worker.renderer, ingester=replace(worker.ingester, settings=settings)))


async def test_a_page_that_its_site_calls_a_pdf_is_a_web_article(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/a", article(body=BODY).encode(), "application/pdf"))
    assert item["kind"] == "pdf"
    await worker.work_off(Queue.INGEST)
    found = get_media(saving, item)
    assert (found.kind, found.processing_status) == ("web_article", "ready_for_reading")


async def test_a_text_is_known_by_the_name_its_site_gives_it_at_the_save(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        named = {"Content-Disposition": 'attachment; filename="notes.md"'}
        return web.Response(text="# Boats\n\nSome *words*.", content_type="text/plain", headers=named)

    item = await ann.save(origin.on("/download", answer))
    await worker.work_off(Queue.INGEST)
    fragments = (await ann.get(f"/api/v1/media/{item['media_id']}/fragments")).data["fragments"]
    assert "<em>words</em>" in fragments[0]["html_sanitized"]
    assert origin.requests["/download"] == 1


async def test_a_document_that_is_gone_is_not_left_to_a_browser(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/a.pdf", PDF, "application/pdf"))
    origin.page("/a.pdf", "Gone", status=404)
    visiting = worker.with_browser_elsewhere()
    await visiting.work_off(Queue.INGEST)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_FETCH_FAILED")
    assert visiting.count_jobs() == {}


async def test_a_file_that_is_larger_than_the_limit_says_so(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/a", PDF, "application/octet-stream"), wait=False)
    visiting = with_limits(worker.with_browser_elsewhere(), max_document_bytes=500)
    await visiting.work_off(Queue.INGEST)
    found = get_media(saving, item)
    assert (found.processing_status, found.failure_code) == ("failed", "E_DOCUMENT_TOO_LARGE")
    assert visiting.count_jobs() == {}


async def test_a_worker_whose_lease_ended_leaves_a_finished_document_alone(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.on("/a", answer_meanwhile := MeanwhileFinished(worker)), wait=False)
    slow = worker.claim(Queue.INGEST)
    assert slow is not None
    with pytest.raises(LeaseLost):
        await ingest_media(worker.ingester, slow)
    assert answer_meanwhile.count == 2
    found = get_media(saving, item)
    assert (found.kind, found.processing_status) == ("pdf", "ready_for_reading")
    assert (await ann.get(f"/api/v1/items/{item['id']}/document/file")).body == PDF


class MeanwhileFinished:
    """While the first request is answered, another worker does all of the work."""

    def __init__(self, worker: Worker) -> None:
        self.worker, self.count = worker, 0

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        self.count += 1
        if self.count > 1:
            return web.Response(body=PDF, content_type="application/pdf")
        await self.worker.work_off(Queue.INGEST, ahead=timedelta(minutes=10))
        return web.Response(text="Another text.", content_type="text/plain")


@pytest.mark.parametrize("code", ["E_FETCH_KIND_MISMATCH_PDF", "E_FETCH_UNSUPPORTED_CONTENT_TYPE"])
async def test_a_file_that_failed_before_documents_were_read_is_tried_again_when_it_is_saved_again(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin, code: str
) -> None:
    url = origin.file("/a.pdf", PDF, "application/pdf")
    item = await ann.save(url, wait=False)
    job = worker.claim(Queue.INGEST)
    assert job is not None
    with writing(saving.kept.database) as tx:
        queue.finish(tx, job)
        changed = update(tables.media).where(tables.media.c.id == job.subject_id)
        tx.execute(changed.values(processing_status="failed", failure_code=code))
    await ann.save(url)
    await worker.work_off(Queue.INGEST)
    found = get_media(saving, item)
    assert (found.kind, found.processing_status) == ("pdf", "ready_for_reading")


async def test_a_link_that_is_saved_while_an_article_is_looked_for_behind_it_becomes_a_document(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if origin.requests["/a.pdf"] == 1:
            await ann.save(origin.url("/a.pdf"), wait=False)
        return web.Response(body=PDF, content_type="application/pdf")

    asked = (await ann.post("/api/v1/media/from_url", {"url": origin.on("/a.pdf", answer)})).data
    await worker.work_off(Queue.INGEST)
    found = get_media(saving, asked)
    assert (found.kind, found.processing_status) == ("pdf", "ready_for_reading")


@pytest.mark.parametrize("is_page_at_first", [False, True])
async def test_a_document_that_is_known_under_another_url_leaves_no_file_behind(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin, is_page_at_first: bool
) -> None:
    kept = await ann.save(origin.page("/a", article(body=BODY)), wait=False)
    if not is_page_at_first:
        origin.file("/a", PDF, "application/pdf")
    await worker.work_off(Queue.INGEST)
    blobs = saving.kept.blobs
    before = [key for folder in BLOB_FOLDERS for key in await blobs.list(folder)]
    origin.file("/a", PDF, "application/pdf")
    merged = await ann.save(origin.redirect("/r", "/a"), wait=False)
    await worker.work_off(Queue.INGEST)
    assert (await ann.get(f"/api/v1/items/{merged['id']}")).data["media_id"] == kept["media_id"]
    assert [key for folder in BLOB_FOLDERS for key in await blobs.list(folder)] == before
    with reading(saving.kept.database) as tx:
        assert len(captures.list_captures(tx, UUID(kept["media_id"]))) == len(before) // 2  # and its thumbnail


async def test_without_room_for_its_file_a_scan_fails_and_a_new_copy_replaces_nothing(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    kept = await ann.save(origin.file("/a.pdf", PDF, "application/pdf"), wait=False)
    await worker.work_off(Queue.INGEST)
    cramped = with_quota(worker, 10)
    assert (await ann.post(f"/api/v1/items/{kept['id']}/recapture", {})).status == 202
    scan = await ann.save(origin.file("/scan.pdf", scanned_pdf(), "application/pdf"), wait=False)
    await cramped.work_off(Queue.INGEST)
    found = get_media(saving, scan)
    assert (found.processing_status, found.failure_code) == ("failed", "E_DOCUMENT_TOO_LARGE")
    assert (await ann.get(f"/api/v1/items/{kept['id']}")).data["media_id"] == kept["media_id"]
    assert (await ann.get(f"/api/v1/items/{kept['id']}/document/file")).body == PDF


async def test_a_text_may_be_larger_than_a_page(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop_thread, seen = threading.get_ident(), list[int]()

    def find_starts(html: SafeHtml) -> tuple[int, ...]:
        seen.append(threading.get_ident())
        return find_page_starts(html)

    monkeypatch.setattr("kept.services.ingesting.documents.find_page_starts", find_starts)
    item = await ann.save(origin.file("/a.txt", b"Some words. " * 500, "text/plain"), wait=False)
    await with_limits(worker, fetch_max_bytes=1000).work_off(Queue.INGEST)
    found = get_media(saving, item)
    assert (found.kind, found.processing_status) == ("text", "ready_for_reading")
    assert seen
    assert loop_thread not in seen  # others are waiting there


async def test_a_larger_file_needs_room_for_what_it_is_larger_by(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    locked = pdf_of("x", password="x")
    item = await ann.save(origin.file("/a.pdf", locked, "application/pdf"))
    await worker.work_off(Queue.INGEST)
    origin.file("/a.pdf", PDF + b" " * len(locked), "application/pdf")
    assert (await ann.post(f"/api/v1/media/{item['media_id']}/retry", {})).status == 202
    await with_quota(worker, len(locked) + 1).work_off(Queue.INGEST)
    assert get_media(saving, item).is_readable
    assert (await ann.get(f"/api/v1/items/{item['id']}/document")).data["file"]["size"] == len(locked)
