"""A page survives its site, with the real worker: article, pictures, and new copies."""

import re

from kept.clock import utc_now
from kept.domain.job import JobKind, Queue
from kept.services.images.store import store_images
from kept.storage.queue.claiming import Postponed, claim
from support.builders.articles import SENTENCE
from support.builders.jobs import RULES
from support.builders.pictures import open_picture, picture
from support.fixtures.transactions import writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker


def page(words: str = SENTENCE) -> str:
    pictures = "".join(f'<figure><img src="/{number}.png" width="400" height="300"></figure>' for number in range(3))
    return article("The harbour", image="/0.png", body=f"<article>{f'<p>{words * 4}</p>' * 6}{pictures}</article>")


async def keep_pictures(saving: RunningKept) -> int:
    """Work off the `store_images` jobs."""
    done = 0
    while True:
        with writing(saving.kept.database) as tx:
            job = claim(tx, Queue.INGEST, [JobKind.STORE_IMAGES], now=utc_now(), rules=RULES)
        if job is None or isinstance(job, Postponed):
            return done
        await store_images(saving.kept.images, job)
        done += 1


def serve_pictures(origin: Origin) -> None:
    for name in ("/0.png", "/1.png", "/2.png", "/favicon.ico"):
        origin.file(name, picture(size=(400, 300)), "image/png")


async def test_with_the_origin_shut_down_after_ingestion_the_article_reads_with_all_its_pictures(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    serve_pictures(origin)
    item = await ann.save(origin.page("/a", page()))
    await worker.work_off()
    assert await keep_pictures(saving) == 1
    origin.handlers.clear()
    before = origin.requests.copy()
    [fragment] = (await ann.get(f"/media/{item['media_id']}/fragments")).data["fragments"]
    paths = re.findall(r'src="([^"]+)"', fragment["html_sanitized"])
    assert len(paths) == 3
    for path in paths:
        assert open_picture((await ann.get(path)).body).size == (400, 300)
    assert (await ann.get(item["preview_src"])).status == 200
    html = (await ann.get(f"/api/v1/items/{item['id']}/article.html")).body
    assert html.count(b"data:image/png;base64,") == 3
    assert origin.requests == before


async def test_a_new_copy_is_fetched_and_takes_over_and_a_failed_one_does_not(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", page()))
    await worker.work_off()
    origin.page("/a", page(SENTENCE.replace("quiet", "loud")))
    assert (await ann.post(f"/api/v1/items/{item['id']}/recapture")).status == 202
    await worker.work_off()
    renewed = (await ann.get(f"/api/v1/items/{item['id']}")).data
    assert renewed["media_id"] != item["media_id"]
    assert b"loud" in (await ann.get(f"/media/{renewed['media_id']}/fragments")).body
    assert b"quiet" in (await ann.get(f"/media/{item['media_id']}/fragments")).body
    assert (await ann.get(f"/media/{renewed['media_id']}")).data["canonical_url"] == origin.url("/a")
    origin.page("/a", "gone", status=410)
    await ann.post(f"/api/v1/items/{item['id']}/recapture")
    await worker.work_off()
    assert (await ann.get(f"/api/v1/items/{item['id']}")).data["media_id"] == renewed["media_id"]
    copies = (await ann.get(f"/api/v1/items/{item['id']}/copies")).data
    states = [copy["processing_status"] for copy in copies]
    assert states == ["failed", "ready_for_reading", "ready_for_reading"]
    assert [item["id"]] == [listed["id"] for listed in (await ann.get("/api/v1/items")).data]
