"""Images of the pages of a PDF: what one page does to the others, and what somebody may have drawn at once."""

import asyncio
import io
from collections import Counter
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas
from sqlalchemy import update

from kept.domain.job import Queue
from kept.services.reading.page_images import AT_ONCE, MAX_DRAWINGS, RecentImages
from kept.storage import tables
from kept.subprocesses.workers import make_timer
from support.builders.saved_documents import upload_file
from support.fixtures.transactions import writing
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "PDF, EPUB, images, plain text and Markdown are stored and read")

# So narrow that it would have less than a pixel's width.
UNDRAWABLE = (1, 20_000)


def pdf_of_sizes(*sizes: tuple[float, float]) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for size in sizes:
        canvas.setPageSize(size)
        canvas.drawString(10, 10, "A page")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


async def upload(person: Person, worker: Worker, data: bytes) -> Any:
    item = (await upload_file(person, data, "pages.pdf")).data
    await worker.work_off(Queue.INGEST)
    return item


async def get_page(person: Person, item: Any, page: int) -> int:
    return (await person.get(f"/api/v1/items/{item['id']}/document/pages/{page}.webp")).status


async def test_nobody_has_more_drawn_at_once_than_a_few_pages_and_nothing_of_it_is_stored(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    item = await upload(ann, worker, pdf_of_sizes(*[(595, 842)] * 100))
    asked = range(1, 101, AT_ONCE)
    answers = Counter(await asyncio.gather(*(get_page(ann, item, page) for page in asked)))
    assert set(answers) == {200, 429}
    assert answers[200] >= MAX_DRAWINGS
    assert await get_page(ann, item, AT_ONCE) == 200
    assert len(await saving.kept.blobs.list("pages")) == 1


async def test_a_page_that_cannot_be_drawn_hides_no_other(saving: RunningKept, ann: Person, worker: Worker) -> None:
    item = await upload(ann, worker, pdf_of_sizes((595, 842), UNDRAWABLE, (595, 842)))
    assert [await get_page(ann, item, page) for page in (2, 1, 3, 2)] == [404, 200, 200, 404]


async def test_pages_that_were_not_read_can_be_drawn(saving: RunningKept, ann: Person, worker: Worker) -> None:
    item = await upload(ann, worker, pdf_of_sizes(*[(595, 842)] * 2))
    with writing(saving.kept.database) as tx:  # as if time was up after the first page
        tx.execute(update(tables.documents).values(page_sizes=[[595, 842]], is_cut=True))
    assert [await get_page(ann, item, page) for page in (2, 3)] == [200, 404]


def test_reading_is_cut_by_processor_time_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    is_time_up = make_timer(60)
    monkeypatch.setattr("time.monotonic", lambda: 1e9)
    assert not is_time_up()
    monkeypatch.setattr("time.process_time", lambda: 1e9)
    assert is_time_up()


def test_recent_images_have_an_end() -> None:
    recent = RecentImages(max_bytes=10)
    recent.put(("a", 1), b"12345")
    recent.put(("a", 2), b"12345")
    assert recent.find(("a", 1)) == b"12345"
    recent.put(("a", 3), b"1")
    assert [recent.find(("a", page)) for page in (1, 2, 3)] == [b"12345", None, b"1"]
    recent.put(("a", 4), b"x" * 11)
    assert [recent.find(("a", page)) for page in (1, 3, 4)] == [None, None, None]
