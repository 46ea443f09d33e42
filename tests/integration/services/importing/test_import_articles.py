"""Articles that came with a file: read without visiting the sites they are from."""

import json
from dataclasses import replace

import pytest

from kept.domain.job import Queue
from kept.subprocesses.extraction import ExtractorPool
from support.builders import uploaded_files as files
from support.builders.importing import upload_import, work_off_imports
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker, run_worker

pytestmark = pytest.mark.requirement("Kept", "an imported article replaces a failed page and needs no browser")


async def test_no_browser_visits_the_site_of_an_article_without_a_picture(
    saving: RunningKept, ann: Person, extractors: ExtractorPool
) -> None:
    """It would take a picture of whatever is there today, ten thousand times for a large import."""
    made = await upload_import(ann, json.dumps([files.WALLABAG[0]]).encode(), "?file_name=wallabag.json")
    assert made.status == 202, made.body
    await work_off_imports(saving)
    async with run_worker(saving, extractors) as plain:
        worker = Worker(replace(plain.renderer, ingester=replace(plain.ingester, can_render=True)))
        await worker.work_off(Queue.INGEST)
        assert worker.count_jobs() == {"anchor_highlights": 1}  # the file brings one; nothing is left for a browser
    [item] = (await ann.get("/api/v1/items")).data
    assert (item["processing_status"], item["enrichment_status"]) == ("ready_for_reading", "succeeded")
