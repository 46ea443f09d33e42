"""What people see when PostgreSQL, Redis or S3 goes away under a grown-up Kept, and that it comes back by itself."""

import asyncio

from support.chaos.findings import Accepted
from support.chaos.using import FleetInUse, eventually, explain


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


async def test_nothing_of_all_this_was_logged_as_a_crash(grown: FleetInUse) -> None:
    assert [line for line in grown.fleet.read_errors() if line["event"].startswith(("http.", "job."))] == []
