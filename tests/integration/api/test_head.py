"""HEAD answers wherever GET does: the same status and headers, and no body."""

import re
from collections.abc import AsyncIterator
from uuid import uuid4

import aiohttp
import pytest
from fastapi.responses import StreamingResponse

from kept.api.access import Public, api_routes
from support.builders.articles import ingest, put_image
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "HEAD works wherever GET does")

# Of one answer, or only of one that has a body.
OWN_HEADERS = {"date", "x-request-id", "transfer-encoding"}


def compared(answer: Answer, path: str) -> dict[str, str]:
    own = OWN_HEADERS | ({"content-length"} if path == "/metrics" else set())  # each request is counted there
    return {name.lower(): value for name, value in answer.headers.items() if name.lower() not in own}


async def make_ids(running: RunningKept, person: Person) -> dict[str, str]:
    item = await person.save("https://example.org/a", wait=False)
    article = ingest(running.kept.database, item["media_id"], '<p>Words.</p><img src="/p.png">')
    await put_image(running, item["media_id"])
    library = (await person.post("/api/v1/libraries", {"name": "Team"})).data
    uploaded = await person.send("/api/v1/imports?file_name=a.txt&dry_run=true", b"https://example.org/b\n")
    ids = {"item_id": item["id"], "media_id": item["media_id"], "image_id": str(article.images[0].id)}
    return ids | {"library_id": library["id"], "import_id": uploaded.data["id"], "file_format": "txt"}


def list_paths(running: RunningKept, ids: dict[str, str]) -> list[str]:
    found = [route.path for route in api_routes(running.app) if "GET" in (route.methods or ()) and route.path]
    filled = [re.sub(r"\{(\w+)(:\w+)?\}", lambda part: ids.get(part[1], str(uuid4())), path) for path in found]
    others = ["/api/v1/openapi.json", "/static/kept.css", "/static/nothing", "/nowhere", "/api/v1/export?format=csv"]
    return [*filled, *others, "/api/v1/search?q=words", "/api/v1/items?limit=0"]


async def test_head_has_the_status_and_headers_of_get_on_every_route(running: RunningKept) -> None:
    person = await running.make_person("ann", is_admin=True)
    paths = list_paths(running, await make_ids(running, person))
    assert len(paths) > 40
    for path in paths:
        for asks in (person, running.nobody):
            got, head = await asks.get(path), await asks.call("HEAD", path)
            assert (head.status, head.body) == (got.status, b""), path
            assert compared(head, path) == compared(got, path), path
    assert (await running.nobody.call("HEAD", "/api/v1/setup")).status == 405


async def test_head_makes_no_chunk_of_a_stream_and_does_not_wait_for_its_end(running: RunningKept) -> None:
    made = []

    async def chunks() -> AsyncIterator[str]:
        made.append("a chunk")
        yield "words"

    running.app.add_api_route("/stream", lambda: StreamingResponse(chunks()), dependencies=[Public])
    assert (await running.nobody.call("HEAD", "/stream")).status == 200
    assert made == []
    assert (await running.nobody.get("/stream")).body == b"words"
    person = await running.make_person("ann")
    followed = await person.call("HEAD", "/events")
    assert (followed.status, followed.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")


async def test_a_connection_can_be_used_again_after_head(running: RunningKept) -> None:
    person = await running.make_person("ann")
    headers = {"Authorization": f"Bearer {person.token}"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1), headers=headers) as session:
        for path in ("/events", "/api/v1/export", "/healthz", "/", "/static/kept.css"):
            async with session.head(running.address + path) as head:
                assert head.status == 200
            async with session.get(f"{running.address}/healthz") as got:
                assert (await got.json())["data"]["status"] == "ok"


async def test_head_is_counted_as_head_of_its_route(running: RunningKept) -> None:
    await running.nobody.call("HEAD", "/api/v1/libraries/00000000-0000-0000-0000-000000000000")
    told = (await running.nobody.get("/metrics")).body.decode()
    assert 'kept_http_requests_total{method="HEAD",route="/api/v1/libraries/{library_id}",status="401"}' in told


async def test_a_wrong_method_is_told_that_head_is_allowed(running: RunningKept) -> None:
    assert (await running.nobody.call("PUT", "/healthz")).headers["Allow"] == "GET, HEAD"
