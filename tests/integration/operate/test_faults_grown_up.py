"""What people see when PostgreSQL, Redis or S3 goes away under a grown-up Kept, and that it comes back by itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from support.builders.pictures import open_picture
from support.chaos.findings import Accepted
from support.chaos.fleet import Fleet
from support.chaos.site import PageKind
from support.chaos.using import FleetInUse, eventually, explain
from support.servers.serving import Answer

pytestmark = pytest.mark.requirement("Kept", "an absent bucket costs images only")

# A request's four tries at a bucket that refuses connections take under a second; a busy machine takes longer.
SOON_SECONDS: Final = 10.0
WORKERS: Final = 3


async def test_while_postgresql_restarts_the_answer_is_503_and_afterwards_nothing_is_lost(grown: FleetInUse) -> None:
    postgres, ann = grown.fleet.postgres, grown.person()
    assert postgres is not None
    before = [await grown.save() for _ in range(3)]
    await asyncio.to_thread(postgres.kill)
    assert explain(await ann.get("/api/v1/items")) == (503, "E_UNAVAILABLE")
    refused = grown.add_page()
    assert explain(await ann.post("/api/v1/items", {"url": refused.page.url})) == (503, "E_UNAVAILABLE")
    ready = await ann.get("/readyz")
    assert (ready.status, ready.data["problems"]) == (503, ["the database does not answer"])

    await asyncio.to_thread(postgres.start)
    await eventually(grown.is_ready)
    after = [await grown.save(person=grown.person(server)) for server in (0, 1)]
    await grown.require_all([*before, *after])


async def test_while_the_broker_is_gone_saves_are_taken_and_done_when_it_is_back(grown: FleetInUse) -> None:
    redis = grown.fleet.redis
    assert redis is not None
    await asyncio.to_thread(redis.kill)
    saved: list[Accepted] = []
    for number in range(4):
        saved.append(await grown.save(person=grown.person(number % 2)))
    ready = await grown.person().get("/readyz")
    # Ready: a proxy that sent people away because of it would make an outage of what is none.
    assert (ready.status, ready.data["degraded"]) == (200, ["the broker does not answer: work waits"])

    await asyncio.to_thread(redis.start)
    await grown.require_all(saved)
    assert (await grown.person().get("/readyz")).data["degraded"] == []


# --- the bucket --------------------------------------------------------------------------------------------------


@asynccontextmanager
async def bucket_away(grown: FleetInUse) -> AsyncIterator[None]:
    bucket = grown.fleet.bucket
    assert bucket is not None
    await asyncio.to_thread(bucket.stop)
    try:
        yield
    finally:
        await asyncio.to_thread(bucket.start)


async def ask_for_picture(grown: FleetInUse, saved: Accepted, server: int = 0) -> Answer:
    async with asyncio.timeout(SOON_SECONDS):
        return await grown.person(server).get(f"/api/v1/items/{saved.item_id}/thumbnail")


def count_outages_of_work(fleet: Fleet) -> int:
    return sum(line["event"] == "job.met_outage" for line in fleet.read_log("*worker*"))


async def wait_for_outages_of_work(fleet: Fleet, times: int) -> None:
    before = count_outages_of_work(fleet)

    async def were_met() -> bool:
        return await asyncio.to_thread(count_outages_of_work, fleet) >= before + times

    await eventually(were_met, what="work that tries again")


async def test_while_the_bucket_is_away_pages_are_saved_and_read_and_only_pictures_are_refused(
    grown: FleetInUse,
) -> None:
    ann, before = grown.person(), await grown.save(PageKind.PLAIN)
    await grown.require_all([before])
    media_id = (await grown.get_item(before.item_id))["media_id"]
    async with bucket_away(grown):
        saved = [await grown.save(kind) for kind in (PageKind.PICTURED, PageKind.PLAIN, PageKind.SCRIPTED)]
        read = await ann.get(f"/api/v1/media/{media_id}/fragments")
        refused = [await ask_for_picture(grown, before, server) for server in (0, 1)]
        ready = await ann.get("/readyz")
        await wait_for_outages_of_work(grown.fleet, 8)
        cards = [await grown.get_item(one.item_id) for one in saved]
        visits = [grown.site.origin.requests[f"/{one.page.url.rpartition('/')[2]}"] for one in saved]
    assert before.page.words in read.data["fragments"][0]["html_sanitized"]
    assert [explain(answer) for answer in refused] == [(503, "E_UNAVAILABLE")] * 2
    # Ready: every server shares the bucket, and none could do better.
    assert (ready.status, ready.data["degraded"]) == (200, ["the bucket cannot be used: images wait"])
    assert [card["title"] for card in cards] == ["The harbour"] * 3
    assert cards[0]["processing_status"] == "ready_for_reading", "an article needs no bucket"
    # The save's own fetch, one visit by which each worker may learn of the outage; then they ask the bucket first.
    assert max(visits) <= 1 + WORKERS, f"sites are troubled for what cannot be kept: {visits}"

    await grown.require_all([before, *saved])
    assert (await ann.get("/readyz")).data["degraded"] == []
    for one in (before, *saved):
        picture = await ask_for_picture(grown, one)
        assert (picture.status, open_picture(picture.body).format) == (200, "WEBP")


async def test_nothing_of_all_this_was_logged_as_a_crash(grown: FleetInUse) -> None:
    assert [line for line in grown.fleet.read_errors() if line["event"].startswith(("http.", "job."))] == []
    # a traceback would name it; Celery's own, of the broker, are not ours to judge
    assert not [path.name for path in grown.fleet.folder.glob("*.log") if "BlobsAway" in path.read_text()]
