"""Documents on their way: what a site calls a file, what it is, and how an attempt at one ends."""

from aiohttp import web

from kept.domain.job import Queue
from support.articles import BODY, get_media
from support.origin import Origin, article
from support.serving import Person, RunningKept
from support.working import Worker


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
