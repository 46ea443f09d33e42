"""Imports over HTTP: a file goes in, a worker reads it, a person says go; and nobody sees another's."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from kept.clock import utc_now
from kept.config import Limits, Settings
from kept.domain.importing import ImportState
from kept.domain.job import JobKind, Queue
from kept.jobs.running import Handler, JobRunner, RunRules
from kept.services.importing.imports import abandon_import
from kept.storage.queue.claiming import Postponed, claim
from kept.subprocesses.extraction import ExtractorPool
from support.builders import uploaded_files as files
from support.builders.importing import upload_import
from support.builders.importing import work_off_imports as work_off
from support.builders.jobs import RULES
from support.fixtures.transactions import writing
from support.servers.serving import Person, RunningKept, run_kept
from support.servers.working import Worker, run_worker


@pytest.fixture
async def worker(running: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    async with run_worker(running, extractors) as worker:
        yield worker.without_browser()


async def test_a_file_is_checked_first_and_imported_when_a_person_says_so(running: RunningKept, reader: Person) -> None:
    made = await upload_import(reader, files.READWISE_CSV.encode(), "?dry_run=true&file_name=reader.csv")
    assert made.status == 202
    assert (made.data["state"], made.data["report"], made.data["file_name"]) == ("checking", None, "reader.csv")
    path = f"/api/v1/imports/{made.data['id']}"
    await work_off(running)
    checked = (await reader.get(path)).data
    assert (checked["state"], checked["format"], checked["rows_total"]) == ("checked", "readwise", 3)
    assert (checked["report"]["imported"], checked["report"]["rejected"], checked["imported"]) == (2, 1, 0)
    assert checked["report"]["problems"][0]["reason"] == "This came by a feed in Reader and was never saved."
    assert checked["report"]["samples"][1]["tags"] == ["don't", "peanut, butter"]
    assert (await reader.get("/api/v1/items")).data == []
    assert (await reader.post(f"{path}/start")).status == 202
    await work_off(running)
    done = (await reader.get(path)).data
    assert (done["state"], done["imported"], done["rejected"]) == ("done", 2, 1)
    assert len((await reader.get("/api/v1/items")).data) == 2
    rows = await reader.get(f"{path}/rows")
    assert rows.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert len(rows.body.decode().splitlines()) == 4
    assert [one["id"] for one in (await reader.get("/api/v1/imports")).data] == [made.data["id"]]
    assert (await reader.post(f"{path}/start")).status == 409


async def test_a_form_does_as_well_and_without_a_dry_run_it_goes_on_by_itself(
    running: RunningKept, reader: Person
) -> None:
    form = aiohttp.FormData()
    form.add_field("file", files.pocket_zip(), filename="pocket.zip", content_type="application/zip")
    made = await upload_import(reader, form)
    assert (made.status, made.data["file_name"]) == (202, "pocket.zip")
    await work_off(running)
    done = (await reader.get(f"/api/v1/imports/{made.data['id']}")).data
    assert (done["state"], done["imported"]) == ("done", 4)


async def test_a_form_without_a_file_and_an_unknown_format_are_refused(reader: Person) -> None:
    form = aiohttp.FormData()
    form.add_field("other", "x")
    form.add_field("more", b"x", filename="y")
    assert (await upload_import(reader, form)).status == 400
    assert (await upload_import(reader, b"x", "?format=delicious")).status == 400


async def test_a_file_that_is_too_large_is_refused(sqlite_url: str, tmp_path: Path) -> None:
    limits = Limits(max_body_bytes=100)
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, max_import_bytes=1000, limits=limits)
    async with run_kept(settings) as small:
        reader = await small.make_person("ann")
        assert (await upload_import(reader, b"https://example.com/\n" * 10)).status == 202
        for size in (1001, 200_000):
            assert (await upload_import(reader, b"x" * size)).status == 413
        form = aiohttp.FormData()
        form.add_field("file", b"x" * 1001, filename="f")
        assert (await upload_import(reader, form)).status == 413
        assert (await reader.post("/api/v1/items", {"url": "https://example.org/" + "x" * 200})).status == 413


async def test_nobody_brings_a_file_without_a_token_or_into_a_library_of_others(
    running: RunningKept, reader: Person
) -> None:
    bob = await running.make_person("bob")
    team = (await reader.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    assert (await upload_import(bob, b"https://example.com/", f"?library_id={team}")).status == 404
    await reader.post(f"/api/v1/libraries/{team}/members", {"user_name": "bob"})
    assert (await upload_import(bob, b"https://example.com/", f"?library_id={team}")).status == 403
    nobody = Person(running.address, "kept_nonsense")
    assert (await upload_import(nobody, b"https://example.com/")).status == 401


async def test_cancelling_stops_an_import_before_it_begins(running: RunningKept, reader: Person) -> None:
    made = await upload_import(reader, files.POCKET_CSV.encode())
    assert (await upload_import(reader, files.POCKET_CSV.encode())).status == 409
    path = f"/api/v1/imports/{made.data['id']}"
    assert (await reader.post(f"{path}/cancel")).data["state"] == "cancelled"
    await work_off(running)
    assert (await reader.get("/api/v1/items")).data == []
    assert (await upload_import(reader, files.POCKET_CSV.encode())).status == 202


async def test_an_article_from_a_file_is_read_by_its_owner_and_not_by_others_who_save_the_page(
    running: RunningKept, reader: Person, worker: Worker
) -> None:
    bob = await running.make_person("bob")
    hostile = files.ARTICLE + '<script>alert(1)</script><p onclick="x()">Kept secret words</p><img src="/p.png">'
    entry = files.WALLABAG[0] | {"content": hostile}
    made = await upload_import(reader, json.dumps([entry]).encode())
    await work_off(running)
    assert (await reader.get(f"/api/v1/imports/{made.data['id']}")).data["imported"] == 1
    await worker.work_off(Queue.INGEST)
    [item] = (await reader.get("/api/v1/items")).data
    fragment = (await reader.get(f"/media/{item['media_id']}/fragments")).data["fragments"][0]
    assert "Kept secret words" in fragment["html_sanitized"]
    assert "Paragraph 11" in fragment["html_sanitized"]
    assert "script" not in fragment["html_sanitized"]
    assert "onclick" not in fragment["html_sanitized"]
    history = (await reader.get(f"/media/{item['media_id']}/transitions")).data["transitions"]
    assert "file" in {line["details"].get("via") for line in history}

    theirs = await bob.save(entry["url"], wait=False)
    assert theirs["media_id"] != item["media_id"]
    assert theirs["title"] is None
    for path in (f"/media/{item['media_id']}", f"/media/{item['media_id']}/fragments"):
        assert (await bob.get(path)).status == 404
    again = await reader.post("/api/v1/items", {"url": entry["url"]})
    assert (again.status, again.data["media_id"]) == (200, item["media_id"])


async def test_a_short_article_from_a_file_is_kept_as_it_is(
    running: RunningKept, reader: Person, worker: Worker
) -> None:
    await upload_import(reader, json.dumps([files.WALLABAG[0] | {"content": "<p>Only this.</p>"}]).encode())
    await work_off(running)
    await worker.work_off(Queue.INGEST)
    [item] = (await reader.get("/api/v1/items")).data
    assert item["processing_status"] == "ready_for_reading"


async def test_a_worker_that_gives_up_leaves_an_import_that_can_be_taken_up(
    running: RunningKept, reader: Person
) -> None:
    made = await upload_import(reader, files.POCKET_CSV.encode())
    importer = running.kept.importer

    async def crash(job: object) -> None:
        raise RuntimeError("a bug")

    handlers = {JobKind.IMPORT: Handler(crash, partial(abandon_import, importer))}
    runner = JobRunner(running.kept.database, handlers, RunRules(60, 40, 1, 0.01))
    with writing(running.kept.database) as tx:
        job = claim(tx, Queue.INGEST, [JobKind.IMPORT], now=utc_now(), rules=RULES)
    assert job is not None
    assert not isinstance(job, Postponed)
    await runner.run(job)
    path = f"/api/v1/imports/{made.data['id']}"
    failed = (await reader.get(path)).data
    assert failed["state"] == ImportState.FAILED
    assert failed["problem"]
    assert (await reader.post(f"{path}/start")).status == 202
    await work_off(running)
    assert (await reader.get(path)).data["imported"] == 3


async def test_saves_go_on_while_a_file_is_imported(running: RunningKept, reader: Person) -> None:
    lines = "".join(f"https://h{number}.example/\n" for number in range(2000))
    await upload_import(reader, lines.encode())
    importing = asyncio.create_task(work_off(running))
    saved = 0
    while not importing.done() and saved < 100:  # a person may save 120 in a minute
        answer = await reader.post("/api/v1/items", {"url": f"https://mine.example/{saved}", "wait": False})
        assert answer.status == 201
        saved += 1
    await importing
    assert saved > 3
