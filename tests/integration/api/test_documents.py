"""Documents: a saved PDF, book, text or image is read, searched, downloaded and private where it was uploaded."""

import io
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from kept.clock import utc_now
from kept.content.images.format import ImageFormat
from kept.domain.job import JobKind, NewJob, Priority, Queue
from kept.services.maintenance.cleaning import remove_orphans
from kept.storage.queue import queue
from support.builders.pictures import picture
from support.builders.saved_documents import epub_of, page_about, pdf_of, scanned_pdf, upload_file
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker, WorkerDied

pytestmark = pytest.mark.requirement("Kept", "PDF, EPUB, images, plain text and Markdown are stored and read")

LOCKED = pdf_of("Secret", password="x")
PDF = pdf_of(page_about("lighthouse"), page_about("ferry"), page_about("smugglers"))


async def get_item(person: Person, item: Any) -> Any:
    return (await person.get(f"/api/v1/items/{item['id']}")).data


async def read_article(person: Person, item: Any) -> str:
    answer = await person.get(f"/api/v1/media/{item['media_id']}/fragments")
    assert answer.status == 200, answer.body
    return str(answer.data["fragments"][0]["html_sanitized"])


@on_both_databases
async def test_a_link_to_a_pdf_becomes_a_document_that_is_read_and_found_by_page(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    url = origin.file("/files/report_2026.pdf", PDF, "application/pdf")
    item = await ann.save(url)
    assert (item["kind"], item["title"], item["enrichment_error"]) == ("pdf", "report 2026", None)
    await worker.work_off(Queue.INGEST)
    item = await get_item(ann, item)
    assert (item["processing_status"], item["title"], item["byline"]) == (
        "ready_for_reading",
        "A Book of Rivers",
        "Ann Author",
    )
    assert (item["kind"], item["enrichment_status"]) == ("pdf", "succeeded")
    html = await read_article(ann, item)
    assert html.count("<section>") == 3
    assert "smugglers" in html
    assert "Confidential" not in html
    found = (await ann.get("/api/v1/search?q=smugglers")).data
    assert [(one["id"], one["page"]) for one in found] == [(item["id"], 3)]
    assert [one["id"] for one in (await ann.get("/api/v1/search?q=confidential")).data] == [item["id"]]
    thumbnail = await ann.get(item["preview_src"])
    assert (thumbnail.status, thumbnail.headers["Content-Type"]) == (200, "image/webp")
    told = (await ann.get(f"/api/v1/items/{item['id']}/document")).data
    assert (told["type"], told["page_count"], told["has_text"]) == ("pdf", 3, True)
    assert told["outline"][1] == {"title": "Chapter 2", "page": 2, "level": 0}
    file = await ann.get(f"/api/v1/items/{item['id']}/document/file")
    assert file.body == PDF
    assert file.headers["Content-Type"] == "application/pdf"
    assert file.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in file.headers["Content-Security-Policy"]
    assert file.headers["Content-Disposition"].startswith("inline; filename*=UTF-8''a-book")
    page = await ann.get(f"/api/v1/items/{item['id']}/document/pages/2.webp")
    assert (page.status, page.headers["Content-Type"]) == (200, "image/webp")
    assert (await ann.get(f"/api/v1/items/{item['id']}/document/pages/4.webp")).status == 404
    assert origin.requests["/files/report_2026.pdf"] == 2


@on_both_databases
async def test_an_uploaded_pdf_is_private_and_the_same_file_is_one_item(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker
) -> None:
    answer = await upload_file(ann, PDF, "My report.pdf", tags="Sea, boats", note="mine")
    assert answer.status == 201, answer.body
    item = answer.data
    assert (item["title"], item["kind"], item["link"], item["tags"]) == ("My report", "pdf", None, ["boats", "sea"])
    await worker.work_off(Queue.INGEST)
    assert "lighthouse" in await read_article(ann, item)
    again = await upload_file(ann, PDF, "My report.pdf")
    assert (again.status, again.data["id"], again.data["title"]) == (200, item["id"], "A Book of Rivers")
    theirs = (await upload_file(bob, PDF, "My report.pdf")).data
    assert theirs["media_id"] != item["media_id"]
    hidden = [
        f"/api/v1/items/{item['id']}",
        f"/api/v1/items/{item['id']}/document",
        f"/api/v1/items/{item['id']}/document/file",
        f"/api/v1/items/{item['id']}/document/pages/1.webp",
        f"/api/v1/media/{item['media_id']}/fragments",
    ]
    assert [path for path in hidden if (await bob.get(path)).status != 404] == []
    assert [one["id"] for one in (await bob.get("/api/v1/search?q=lighthouse")).data] == []
    assert len(await saving.kept.blobs.list("pages")) == 2


async def test_a_browser_that_was_asked_before_the_file_was_known_does_not_visit_it(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/report.pdf", PDF, "application/pdf"))
    media_id = UUID(item["media_id"])
    with writing(saving.kept.database) as tx:
        job = NewJob(JobKind.CAPTURE, media_id, "127.0.0.1", Priority.PERSON, utc_now(), None, None)
        queue.enqueue(tx, job, now=utc_now())
    await worker.work_off(ahead=timedelta(seconds=10))
    assert origin.requests["/report.pdf"] == 2, "for the card, and by the worker"
    with reading(saving.kept.database) as tx:
        assert queue.find_job(tx, JobKind.CAPTURE, media_id) is None


async def test_there_is_no_new_copy_of_an_uploaded_file_without_a_url(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    bare = (await upload_file(ann, PDF, "report.pdf")).data
    linked = (await upload_file(ann, PDF, "report.pdf", url="https://example.org/report.pdf")).data
    await worker.work_off(Queue.INGEST)
    answer = await ann.post(f"/api/v1/items/{bare['id']}/recapture")
    assert (answer.status, answer.error_code) == (409, "E_CONFLICT")
    offered = [b'value="recapture"' in (await ann.get(f"/history/{item['id']}")).body for item in (bare, linked)]
    assert offered == [False, True]


async def test_a_pdf_that_was_asked_for_as_a_web_article_fails_until_somebody_saves_the_link(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    url = origin.file("/a.pdf", PDF, "application/pdf")
    media = (await ann.post("/api/v1/media/from_url", {"url": url})).data
    await worker.work_off(Queue.INGEST)
    told = (await ann.get(f"/api/v1/media/{media['media_id']}")).data
    assert (told["processing_status"], told["failure_code"]) == ("failed", "E_FETCH_KIND_MISMATCH_PDF")
    item = await ann.save(url)
    await worker.work_off(Queue.INGEST)
    item = await get_item(ann, item)
    assert (item["kind"], item["processing_status"]) == ("pdf", "ready_for_reading")
    assert item["media_id"] == media["media_id"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (LOCKED, "E_DOCUMENT_ENCRYPTED"),
        (b"%PDF-1.7\n" + b"nothing of a PDF" * 50, "E_DOCUMENT_BROKEN"),
    ],
    ids=["encrypted", "broken"],
)
async def test_a_pdf_that_cannot_be_read_says_why_and_its_file_is_kept(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin, data: bytes, code: str
) -> None:
    item = await ann.save(origin.file("/a.pdf", data, "application/pdf"))
    await worker.work_off(Queue.INGEST)
    item = await get_item(ann, item)
    assert (item["processing_status"], item["failure_code"], item["kind"]) == ("failed", code, "pdf")
    assert (await ann.get(f"/api/v1/items/{item['id']}/document/file")).body == data
    assert (await ann.get(f"/read/{item['id']}")).status == 303


async def test_a_scan_is_read_as_images_of_its_pages(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/scan.pdf", scanned_pdf(), "application/pdf"))
    await worker.work_off(Queue.INGEST)
    item = await get_item(ann, item)
    assert item["processing_status"] == "ready_for_reading"
    assert (await ann.get(f"/api/v1/items/{item['id']}/document")).data["has_text"] is False
    assert (await ann.get(f"/api/v1/items/{item['id']}/document/pages/1.webp")).status == 200


async def test_a_book_a_text_markdown_and_an_image_are_documents_too(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    image = picture(ImageFormat.PNG, (320, 240))
    book = epub_of('<h1>One</h1><p>The sea.</p><img src="pic.png" alt="boat"/>', "<p>The land.</p>", image=image)
    saved = {
        "epub": await ann.save(origin.file("/book.epub", book, "application/epub+zip")),
        "text": await ann.save(origin.file("/note.txt", b"First line.\n\nSecond paragraph.", "text/plain")),
        "md": await ann.save(origin.file("/read.md", b"# Title\n\nSome *words*.", "text/plain")),
        "image": await ann.save(origin.file("/boat.png", image, "image/png")),
        "uploaded": (await upload_file(ann, picture(ImageFormat.JPEG, (90, 70)), "boat.jpg")).data,
    }
    await worker.work_off(Queue.INGEST)
    items = {name: await get_item(ann, item) for name, item in saved.items()}
    assert {name: item["processing_status"] for name, item in items.items()} == dict.fromkeys(
        items, "ready_for_reading"
    )
    kinds = {name: item["kind"] for name, item in items.items()}
    assert kinds == {"epub": "epub", "text": "text", "md": "text", "image": "image", "uploaded": "image"}
    articles = {name: await read_article(ann, item) for name, item in items.items()}
    assert "<em>words</em>" in articles["md"]
    assert articles["text"] == "<p>Second paragraph.</p>"
    assert items["text"]["title"] == "First line."
    assert items["epub"]["title"] == "The Sea Book"
    for name in ("epub", "image", "uploaded"):
        shown = await ann.get(f"/api/images/{articles[name].partition('/api/images/')[2][:36]}")
        assert shown.status == 200, name
    text = await ann.get(f"/api/v1/items/{items['text']['id']}/document/file")
    assert text.headers["Content-Disposition"].startswith("attachment")


async def test_the_reader_shows_pages_contents_and_the_file(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(origin.file("/a.pdf", PDF, "application/pdf"))
    await worker.work_off(Queue.INGEST)
    page = (await ann.get(f"/read/{item['id']}")).body.decode()
    assert '<section id="page-3" data-page="3">' in page
    assert '<a href="#page-2" dir="auto">Chapter 2</a>' in page
    assert f'href="/api/v1/items/{item["id"]}/document/file"' in page
    assert 'class="page"' not in page
    shown = (await ann.get(f"/read/{item['id']}?pages=show")).body.decode()
    assert f'src="/api/v1/items/{item["id"]}/document/pages/2.webp"' in shown
    listed = (await ann.get("/?q=smugglers")).body.decode()
    assert "Page 3" in listed
    assert '#page-3"' in listed
    assert '<span class="kind">PDF</span>' in listed


@on_both_databases
async def test_a_worker_that_dies_in_the_middle_leaves_one_document_and_one_file(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = await ann.save(origin.file("/a.pdf", PDF, "application/pdf"))
    job = worker.claim(Queue.INGEST)
    assert job is not None
    with monkeypatch.context() as dying:
        dying.setattr("kept.services.ingesting.documents.read_document", die)
        with pytest.raises(WorkerDied):
            await worker.run(job)
    [file] = await saving.kept.blobs.list("pages")
    await worker.work_off(Queue.INGEST, ahead=timedelta(minutes=10))
    assert (await get_item(ann, item))["processing_status"] == "ready_for_reading"
    assert await saving.kept.blobs.list("pages") == [file]
    assert worker.count_jobs() == {}


async def die(*_: object) -> None:
    raise WorkerDied


async def test_a_text_from_windows_is_read_and_an_empty_file_is_called_so(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    item = (await upload_file(ann, "深圳的海边 Größe".encode("utf-16"), "x.txt", "text/plain")).data
    await worker.work_off(Queue.INGEST)
    read = (await ann.get(f"/api/v1/media/{item['media_id']}/fragments")).data
    assert "深圳的海边 Größe" in read["fragments"][0]["html_sanitized"]
    empty = await upload_file(ann, b"", "x.txt", "text/plain")
    assert (empty.status, empty.json["error"]["message"]) == (422, "The file is empty.")


async def test_a_file_that_is_also_a_page_is_never_served_as_one(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    polyglot = b"%PDF-1.4\n<html><script>alert(1)</script></html>" + b" " * 2000
    item = (await upload_file(ann, polyglot, "page.html", "text/html")).data
    file = await ann.get(f"/api/v1/items/{item['id']}/document/file")
    assert (item["kind"], file.body) == ("pdf", polyglot)
    assert (file.headers["Content-Type"], file.headers["X-Content-Type-Options"]) == ("application/pdf", "nosniff")
    page = await upload_file(ann, b"<html><p>%PDF-</html>", "report.pdf", "application/pdf")
    assert page.status == 201  # the mark is there, so that PDFium is asked: which says that it is broken
    refused = await upload_file(ann, b"<html><p>x</html>", "report.pdf", "text/html")
    assert (refused.status, refused.error_code) == (422, "E_PAGE_UNREADABLE")
    text = (await upload_file(ann, b"Hello <script>alert(1)</script>", "x.txt", "text/plain")).data
    await worker.work_off(Queue.INGEST)
    served = await ann.get(f"/api/v1/items/{text['id']}/document/file")
    assert served.headers["Content-Disposition"].startswith("attachment")
    assert served.headers["Content-Type"].startswith("text/plain")
    assert "sandbox" in served.headers["Content-Security-Policy"]
    assert (await get_item(ann, page.data))["failure_code"] == "E_DOCUMENT_BROKEN"


async def test_of_an_image_only_its_pixels_are_kept(saving: RunningKept, ann: Person, worker: Worker) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    out = io.BytesIO()
    Image.new("RGB", (80, 60), "red").save(out, "JPEG", exif=exif)
    item = (await upload_file(ann, out.getvalue(), "boat.jpg")).data
    assert (await ann.get(f"/api/v1/items/{item['id']}/document/file")).status == 404  # not before it was made safe
    await worker.work_off(Queue.INGEST)
    file = await ann.get(f"/api/v1/items/{item['id']}/document/file")
    assert (file.status, file.headers["Content-Type"]) == (200, "image/jpeg")
    assert b"taken at home" not in file.body
    assert (await upload_file(ann, out.getvalue(), "boat.jpg")).data["id"] == item["id"]
    assert len(await saving.kept.blobs.list("pages")) == 1


async def test_a_document_for_which_there_is_no_room_is_read_without_its_file(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    small = saving.kept.settings.model_copy(update={"whole_page_quota_bytes": 10})
    cramped = Worker(replace(worker.renderer, ingester=replace(worker.ingester, settings=small)))
    item = await ann.save(origin.file("/a.pdf", PDF, "application/pdf"))
    await cramped.work_off(Queue.INGEST)
    assert "lighthouse" in await read_article(ann, item)
    assert (await ann.get(f"/api/v1/items/{item['id']}/document")).data["file"] is None
    assert await saving.kept.blobs.list("pages") == []


async def test_nothing_is_left_of_a_document_that_nobody_holds(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    item = (await upload_file(ann, PDF, "report.pdf")).data
    await worker.work_off(Queue.INGEST)
    for page in (1, 3):  # the last one is there when all are drawn
        assert (await ann.get(f"/api/v1/items/{item['id']}/document/pages/{page}.webp")).status == 200
    assert (await ann.delete(f"/api/v1/items/{item['id']}")).status == 204
    database, blobs = saving.kept.database, saving.kept.blobs
    assert await remove_orphans(database, blobs, now=utc_now() + timedelta(days=365)) == 1
    assert [key for folder in ("pages", "images", "thumbnails") for key in await blobs.list(folder)] == []
