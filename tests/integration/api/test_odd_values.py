"""Values no client of ours sends: refused or understood, never an error of the server."""

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest

from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept


def cursor(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


DIGITS = "9" * 5_000
EARLIEST, LATEST = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"
ITEM = "00000000-0000-0000-0000-000000000001"
PATHS = [
    "/api/v1/search?q=after:0001",
    "/api/v1/search?q=-before:0001-01-01",
    "/api/v1/search?q=before:9999-12-31",
    "/api/v1/search?q=after:0000",
    f"/api/v1/search?q=word+after:{DIGITS}",
    f"/api/v1/search?q=word&cursor={cursor(f'at {DIGITS}')[:200]}",
    f"/api/v1/search?q=word&limit={DIGITS}",
    "/?q=after:0001",
    f"/api/v1/items?added_before={quote(EARLIEST)}",
    f"/api/v1/items?added_after={quote(LATEST)}",
    f"/api/v1/items?limit={DIGITS}",
    f"/api/v1/items?cursor={cursor(f'{EARLIEST} {ITEM}')}",
    f"/api/v1/items?cursor={cursor(f'{LATEST} {ITEM}')}",
    f"/?cursor={cursor(f'{EARLIEST} {ITEM}')}",
    f"/events?after={DIGITS}",
    f"/events?after={2**63}",
    f"/events?after={2**63 - 1}",
    "/events?after=-1",
]


@on_both_databases
async def test_odd_values_in_a_query_are_no_error_of_the_server(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    await ann.save(origin.page("/a", article("A word")))
    answers = {path: (await ann.get(path)).status for path in PATHS}
    assert {path[:60]: status for path, status in answers.items() if status >= 500} == {}


async def test_half_a_character_in_a_body_is_refused(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", article("A word")))
    half = "\ud800"
    path = f"/api/v1/items/{item['id']}"
    answers = [
        await ann.post("/api/v1/items", {"url": "https://example.org/", "title": half, "wait": False}),
        await ann.patch(path, {"note": half}),
        await ann.patch(path, {"tags": [half]}),
        await ann.post("/api/v1/libraries", {"name": half}),
    ]
    assert [(answer.status, answer.error_code) for answer in answers] == [(400, "E_INVALID_REQUEST")] * 4


@on_both_databases
@pytest.mark.parametrize("event_id", [DIGITS, str(2**63), "-1", "²", "1.5"])
async def test_an_odd_last_event_id_is_no_error_of_the_server(saving: RunningKept, ann: Person, event_id: str) -> None:
    answer = await ann.get("/events", **{"Last-Event-ID": event_id})
    assert answer.status == 200


async def test_after_the_first_year_of_all_are_all_items(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", article("A word")))
    found = await ann.get("/api/v1/search?q=word+after:0001")
    assert [one["id"] for one in found.json["data"]] == [item["id"]]
    assert (await ann.get("/api/v1/search?q=word+before:0001")).json["data"] == []


async def test_a_page_with_a_number_of_5000_digits_has_its_card(ann: Person, origin: Origin) -> None:
    title = f"<title>A &amp; B &#{DIGITS}; C &amp;#{DIGITS};</title>"
    item = await ann.save(origin.page("/a", title + "<p>Text of the page.</p>"))
    assert item["title"].startswith("A & B \ufffd C")
