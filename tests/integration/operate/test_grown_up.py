"""Many processes, one Kept: PostgreSQL, Redis, S3, two servers, two workers, one browser, used through the API."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from kept.content.images.format import ImageFormat
from support.builders.pictures import open_picture
from support.chaos.fleet import Fleet
from support.chaos.site import PORTRAIT, PageKind, make_body
from support.chaos.using import FleetInUse, eventually
from support.servers.origin import article
from support.servers.serving import Answer, Person


async def read_when_ready(person: Person, media_id: str) -> Answer:
    async def can_be_read() -> bool:
        return bool((await person.get(f"/api/v1/media/{media_id}")).data["capabilities"]["can_read"])

    await eventually(can_be_read, what="the article")
    return await person.get(f"/api/v1/media/{media_id}/fragments")


def find_picture(fragments: Answer) -> str:
    html: str = fragments.data["fragments"][0]["html_sanitized"]
    return html.split('src="', 1)[1].split('"', 1)[0]


async def test_what_is_saved_at_one_server_is_read_at_the_other(grown: FleetInUse) -> None:
    body = make_body("Words that stand nowhere else.").replace("</h1>", '</h1><p><img src="/portrait.png" alt="x"></p>')
    url = grown.site.origin.page("/pictured-article", article("The quay", "An excerpt.", "/portrait.png", body))
    first, second = grown.person(0), grown.person(1)

    saved = await first.post("/api/v1/items", {"url": url})
    assert (saved.status, saved.data["title"]) == (201, "The quay")
    fragments = await read_when_ready(second, saved.data["media_id"])

    assert "Words that stand nowhere else." in fragments.data["fragments"][0]["html_sanitized"]
    pictures = [await person.get(find_picture(fragments)) for person in (first, second)]
    assert [picture.status for picture in pictures] == [200, 200]
    [shown] = {picture.body for picture in pictures}
    assert open_picture(shown).size == open_picture(PORTRAIT).size
    listed = (await second.get("/api/v1/items")).data
    assert saved.data["id"] in {item["id"] for item in listed}


async def test_a_screenshot_made_by_the_render_worker_is_kept_in_the_bucket_and_served_by_both(
    grown: FleetInUse,
) -> None:
    saved = await grown.save(PageKind.PLAIN)
    path = f"/api/v1/items/{saved.item_id}/thumbnail"

    async def is_there() -> bool:
        return (await grown.person(1).get(path)).status == 200

    await eventually(is_there, seconds=90, what="the thumbnail")
    [shown] = {(await grown.person(server).get(path)).body for server in (0, 1)}
    assert open_picture(shown).format == ImageFormat.WEBP.name
    assert not any((grown.fleet.folder / "data").rglob("thumbnails")), "it should be in the bucket alone"


async def test_two_servers_asked_at_once_for_one_page_make_one_media(grown: FleetInUse) -> None:
    url = grown.add_page().page.url
    people = [grown.person(number % 2) for number in range(6)]
    answers = await asyncio.gather(*(person.post("/api/v1/items", {"url": url}) for person in people))
    assert {answer.status for answer in answers} <= {200, 201}
    assert len({answer.data["id"] for answer in answers}) == 1
    assert len({answer.data["media_id"] for answer in answers}) == 1


async def test_who_listens_at_one_server_hears_of_a_save_at_the_other(grown: FleetInUse) -> None:
    listener = grown.person(1)
    headers = {"Authorization": f"Bearer {listener.token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{listener.address}/events", headers=headers) as stream,
    ):
        assert await stream.content.readline() == b"retry: 2000\n"
        saved = await grown.save(person=grown.person(0))
        async with asyncio.timeout(30):
            while True:
                name, _, value = (await stream.content.readline()).decode().partition(": ")
                if name == "data" and json.loads(value).get("item") == str(saved.item_id):
                    break


@pytest.mark.requirement("004", "§5 contents of a job, queues, wakeups")
async def test_one_request_id_is_found_in_the_logs_of_the_server_and_of_the_worker(grown: FleetInUse) -> None:
    request_id = f"client-{uuid4().hex}"
    page = grown.add_page().page
    answer = await grown.person().post("/api/v1/items", {"url": page.url}, **{"X-Request-Id": request_id})
    assert answer.headers["X-Request-Id"] == request_id
    await read_when_ready(grown.person(), answer.data["media_id"])

    async def is_told() -> bool:
        return "job.finished" in told(grown.fleet, "worker*", request_id)

    await eventually(is_told, what="the worker's line")
    assert {"enrichment.started", "enrichment.succeeded"} <= told(grown.fleet, "server*", request_id)
    assert {"job.claimed", "ingest.ready", "job.finished"} <= told(grown.fleet, "worker*", request_id)


def told(fleet: Fleet, names: str, request_id: str) -> set[Any]:
    return {line["event"] for line in fleet.read_log(names) if line.get("request_id") == request_id}


async def test_searching_at_either_server_finds_what_was_saved_at_the_other(grown: FleetInUse) -> None:
    page = grown.add_page().page
    saved = await grown.person(0).post("/api/v1/items", {"url": page.url})
    await read_when_ready(grown.person(1), saved.data["media_id"])
    number = page.words.split()[4]
    answer = await grown.person(1).get(f"/api/v1/search?q=page+number+{number}")
    assert answer.status == 200
    assert saved.data["id"] in answer.body.decode()
