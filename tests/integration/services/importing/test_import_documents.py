"""Documents that come with another Kept's file, and those that leave with one."""

import io
import zipfile
from dataclasses import replace
from typing import Any

from kept.domain.job import Queue
from support.builders.importing import upload_import, work_off_imports
from support.builders.saved_documents import page_about, pdf_of, upload_file
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

PDF = pdf_of(page_about("lighthouse"), page_about("ferry"))
OTHER_PDF = pdf_of(page_about("smugglers"))


async def export(person: Person) -> bytes:
    return (await person.get("/api/v1/export?format=json")).body


async def bring(running: RunningKept, worker: Worker, person: Person, data: bytes) -> list[Any]:
    assert (await upload_import(person, data, "?file_name=kept.zip")).status == 202
    await work_off_imports(running)
    await worker.work_off(Queue.INGEST)
    return list((await person.get("/api/v1/items")).data)


async def find_files(person: Person, items: list[Any]) -> list[bytes]:
    answers = [await person.get(f"/api/v1/items/{item['id']}/document/file") for item in items]
    return [answer.body for answer in answers if answer.status == 200]


async def test_documents_come_along_as_far_as_there_is_room(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker
) -> None:
    await upload_file(ann, PDF, "report.pdf")
    await upload_file(ann, OTHER_PDF, "other.pdf")
    await worker.work_off(Queue.INGEST)
    exported = await export(ann)
    small = saving.kept.settings.model_copy(update={"whole_page_quota_bytes": len(PDF) + len(OTHER_PDF) - 1})
    importer = replace(saving.kept.importer, settings=small)
    cramped = replace(saving, kept=replace(saving.kept, settings=small, importer=importer))
    assert len(await find_files(bob, await bring(cramped, worker, bob, exported))) == 1


async def test_the_file_of_an_image_that_could_not_be_made_safe_is_not_handed_out(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    item = (await upload_file(ann, b"\x89PNG\r\n\x1a\n" + b"taken at home" * 9, "boat.png")).data
    await worker.work_off(Queue.INGEST)
    assert (await ann.get(f"/api/v1/items/{item['id']}/document")).data["file"] is None
    assert "Download the file" not in (await ann.get(f"/history/{item['id']}")).body.decode()
    with zipfile.ZipFile(io.BytesIO(await export(ann))) as exported:
        assert [name for name in exported.namelist() if "document" in name] == []


async def test_a_pdf_with_a_line_before_it_comes_along(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker
) -> None:
    late = b"A line that some program wrote.\n" + PDF
    await upload_file(ann, late, "late.pdf", "application/pdf")
    await worker.work_off(Queue.INGEST)
    exported = await export(ann)
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        [entry] = [one for one in archive.infolist() if one.filename.endswith("document.pdf")]
    assert entry.compress_type == zipfile.ZIP_STORED
    assert await find_files(bob, await bring(saving, worker, bob, exported)) == [late]
