"""Articles that came with a file: read without visiting the sites they are from."""

import json
from dataclasses import replace

import aiohttp

from kept.jobs.queue import Queue
from kept.subprocesses.extractor_pool import ExtractorPool
from support import brought_files as files
from support.importing import work_off_imports
from support.serving import Person, RunningKept
from support.working import Worker, run_worker


async def bring(person: Person, data: bytes) -> None:
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/octet-stream"}
    target = f"{person.address}/api/v1/imports?file_name=wallabag.json"
    async with aiohttp.ClientSession() as session, session.post(target, data=data, headers=headers) as response:
        assert response.status == 202, await response.text()


async def test_no_browser_visits_the_site_of_an_article_without_a_picture(
    saving: RunningKept, extractors: ExtractorPool
) -> None:
    """It would take a picture of whatever is there today, ten thousand times for a large import."""
    ann = await saving.make_person("ann")
    await bring(ann, json.dumps([files.WALLABAG[0]]).encode())
    await work_off_imports(saving)
    async with run_worker(saving, extractors) as plain:
        worker = Worker(replace(plain.renderer, ingester=replace(plain.ingester, can_render=True)))
        await worker.work_off(Queue.INGEST)
        assert await worker.count_jobs() == {}
    [item] = (await ann.get("/api/v1/items")).data
    assert (item["processing_status"], item["enrichment_status"]) == ("ready_for_reading", "succeeded")
