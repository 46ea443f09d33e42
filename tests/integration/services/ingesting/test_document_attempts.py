"""Documents on their way: what a site calls a file, what it is, and how an attempt at one ends."""

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
