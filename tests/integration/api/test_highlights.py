"""Highlights over HTTP: mark, list, change, remove, undo, and who sees them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select

from kept.clock import utc_now
from kept.domain.account import Scope
from kept.domain.highlight import MAX_CHARACTERS_PER_MEDIA, MAX_NOTE, MAX_PER_MEDIA, MAX_QUOTE, Colour, Highlight, Quote
from kept.ids import new_id
from kept.services.highlights.highlights import UNDO_WITHIN
from kept.storage import highlights, tables
from support.builders.articles import ingest
from support.builders.highlights import post_highlight
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

TEXT = "<p>Nobody thought of the <b>storm</b> that morning.</p><p>The boats lay still in the storm's shadow.</p>"


async def save_article(saving: RunningKept, person: Person, url: str, html: str = TEXT) -> Any:
    item = await person.save(url, wait=False)
    if item["processing_status"] == "pending":
        ingest(saving.kept.database, item["media_id"], html)
    return item


async def list_mine(person: Person, **query: object) -> Any:
    answer = await person.get(f"/api/v1/highlights?{urlencode(query)}")
    assert answer.status == 200, answer.body
    return answer.data


async def list_on(person: Person, item: Any) -> Any:
    return (await person.get(f"/api/v1/media/{item['media_id']}/highlights")).data


def texts(found: Any) -> list[str]:
    return [highlight["exact"] for highlight in found]


@on_both_databases
async def test_a_passage_is_marked_where_it_stands_and_told_with_its_context(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "the storm that", colour="blue", note=" Why? ")
    assert (made["exact"], made["colour"], made["note"]) == ("the storm that", "blue", "Why?")
    assert (made["prefix"], made["suffix"][:9]) == ("Nobody thought of ", " morning.")
    assert (made["start"], made["end"], made["state"], made["media_id"]) == (18, 32, "anchored", item["media_id"])
    assert await list_on(ann, item) == [made]
    assert (await ann.get(f"/api/v1/highlights/{made['id']}")).data == made
    [listed] = await list_mine(ann)
    page = {"item_id": item["id"], "url": item["url"], "title": item["title"], "site_name": item["site_name"]}
    assert listed == made | page


async def test_highlights_are_listed_in_the_order_of_the_text_a_page_at_a_time(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    for exact in ("boats", "Nobody", "morning"):
        await post_highlight(ann, item["media_id"], exact)
    path = f"/api/v1/media/{item['media_id']}/highlights"
    first = await ann.get(f"{path}?limit=2")
    rest = await ann.get(f"{path}?limit=2&cursor={first.json['next_cursor']}")
    assert texts(first.data + rest.data) == ["Nobody", "morning", "boats"]
    assert rest.json["next_cursor"] is None


async def test_the_hint_and_the_context_choose_among_several_places(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    html = "<p>First came the storm over the sea.</p><p>Then came the storm over the land.</p>"
    item = await save_article(saving, ann, origin.url("/a"), html)
    by_context = await post_highlight(ann, item["media_id"], "the storm over", suffix=" the land.")
    by_hint = await post_highlight(ann, item["media_id"], "the storm over", hint=50)
    first = await post_highlight(ann, item["media_id"], "the storm over", hint=0)
    assert by_context["start"] == by_hint["start"] > first["start"]


async def test_marks_are_in_the_article_that_asks_for_them_and_in_no_other(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "of the storm that")
    path = f"/api/v1/media/{item['media_id']}/fragments"
    [plain] = (await ann.get(path)).data["fragments"]
    [marked] = (await ann.get(f"{path}?highlights=true")).data["fragments"]
    assert "<mark" not in plain["html_sanitized"]
    assert marked["html_sanitized"].count(f'data-highlight="{made["id"]}"') == 3, "before, in and after the bold word"
    page = (await ann.get(f"/read/{item['id']}", Accept="text/html")).body.decode()
    assert f'id="h-{made["id"]}"' in page


@pytest.mark.requirement("Kept", "two people mark one article and see only their own")
@on_both_databases
async def test_two_people_mark_one_article_and_see_only_their_own(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    theirs = await save_article(saving, bob, origin.url("/a"))
    assert item["media_id"] == theirs["media_id"]
    anns = await post_highlight(ann, item["media_id"], "boats", note="Ann's secret")
    bobs = await post_highlight(bob, item["media_id"], "storm", note="Bob's secret")
    for person, own, other in ((ann, anns, bobs), (bob, bobs, anns)):
        assert [found["id"] for found in await list_on(person, item)] == [own["id"]]
        assert [found["id"] for found in await list_mine(person)] == [own["id"]]
        assert await list_mine(person, q=other["note"].split("'")[0]) == []
        fragments = await person.get(f"/api/v1/media/{item['media_id']}/fragments?highlights=true")
        assert own["id"] in fragments.body.decode()
        assert other["id"] not in fragments.body.decode()
        path = f"/api/v1/highlights/{other['id']}"
        answers = [
            await person.get(path),
            await person.patch(path, {"note": "mine now"}),
            await person.delete(path),
            await person.post(f"{path}/restore"),
        ]
        assert {answer.status for answer in answers} == {404}
    assert (await bob.get(f"/api/v1/highlights/{bobs['id']}")).data == bobs


REFUSED: Mapping[str, tuple[dict[str, Any], int, str]] = {
    "other words": ({"exact": "words of some other page altogether"}, 422, "E_HIGHLIGHT_NOT_FOUND_IN_TEXT"),
    "nothing": ({"exact": " \n "}, 400, "E_INVALID_REQUEST"),
    "too much": ({"exact": "x" * (MAX_QUOTE + 1)}, 400, "E_INVALID_REQUEST"),
    "a long note": ({"exact": "storm", "note": "x" * 20_001}, 400, "E_INVALID_REQUEST"),
    "no such colour": ({"exact": "storm", "colour": "mauve"}, 400, "E_INVALID_REQUEST"),
    "NUL": ({"exact": "sto\x00rm"}, 400, "E_INVALID_REQUEST"),
    "a hint before the text": ({"exact": "storm", "hint": -1}, 400, "E_INVALID_REQUEST"),
    "half a character": ({"exact": "\ud800"}, 400, "E_INVALID_REQUEST"),
    "no words": ({}, 400, "E_INVALID_REQUEST"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_marked_is_refused_with_its_reason(
    saving: RunningKept, ann: Person, origin: Origin, name: str
) -> None:
    body, status, code = REFUSED[name]
    item = await save_article(saving, ann, origin.url("/a"))
    answer = await ann.post(f"/api/v1/media/{item['media_id']}/highlights", body)
    assert (answer.status, answer.error_code) == (status, code)
    assert await list_on(ann, item) == []


async def test_there_is_nothing_to_mark_until_there_is_an_article(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.url("/a"), wait=False)
    answer = await ann.post(f"/api/v1/media/{item['media_id']}/highlights", {"exact": "x"})
    assert (answer.status, answer.error_code) == (409, "E_CONFLICT")
    assert await list_on(ann, item) == []


async def test_a_token_that_may_only_read_marks_nothing(saving: RunningKept, ann: Person, origin: Origin) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "storm")
    assert ann.user is not None
    reader = await saving.give_token(ann.user, {Scope.READ})
    assert await list_on(reader, item) == [made]
    path = f"/api/v1/highlights/{made['id']}"
    refused = [
        await reader.post(f"/api/v1/media/{item['media_id']}/highlights", {"exact": "boats"}),
        await reader.patch(path, {"note": "x"}),
        await reader.delete(path),
        await reader.post(f"{path}/restore"),
    ]
    assert {answer.status for answer in refused} == {403}


async def test_a_member_marks_what_they_may_only_read(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    """A highlight is the person's own: nothing of the library changes."""
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    item = await ann.save(origin.url("/a"), wait=False, library_id=library_id)
    ingest(saving.kept.database, item["media_id"], TEXT)
    made = await post_highlight(bob, item["media_id"], "storm")
    assert [found["item_id"] for found in await list_mine(bob)] == [item["id"]]
    assert await list_mine(ann) == []
    assert (await bob.patch(f"/api/v1/highlights/{made['id']}", {"colour": "red"})).data["colour"] == "red"


async def test_a_request_that_is_sent_again_with_its_key_marks_once(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    path, key = f"/api/v1/media/{item['media_id']}/highlights", {"Idempotency-Key": "k"}
    first = await ann.call("POST", path, {"exact": "storm"}, **key)
    second = await ann.call("POST", path, {"exact": "storm"}, **key)
    assert (first.status, second.status, first.data) == (201, 201, second.data)
    assert len(await list_on(ann, item)) == 1
    other = await ann.call("POST", path, {"exact": "boats"}, **key)
    assert (other.status, other.error_code) == (409, "E_CONFLICT")


# --- changing and removing -------------------------------------------------------------------------------------------


@on_both_databases
async def test_colour_and_note_change_and_what_is_not_sent_stays(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "storm", note="first")
    path = f"/api/v1/highlights/{made['id']}"
    red = (await ann.patch(path, {"colour": "red"})).data
    assert (red["colour"], red["note"], red["created_at"]) == ("red", "first", made["created_at"])
    assert red["updated_at"] > made["updated_at"]
    assert (await ann.patch(path, {"note": "second"})).data["note"] == "second"
    assert (len(await list_mine(ann, q="second")), len(await list_mine(ann, q="first"))) == (1, 0)
    assert (await ann.patch(path, {"note": None})).data["note"] is None
    assert await list_mine(ann, q="second") == []
    assert (await ann.patch(path, {"note": "x" * 20_001})).status == 400
    assert (await ann.patch(path, {"exact": "boats"})).status == 400


@on_both_databases
async def test_a_removed_highlight_is_gone_and_comes_back_within_the_hour(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "storm", note="kept")
    path = f"/api/v1/highlights/{made['id']}"
    assert (await ann.delete(path)).status == 204
    assert (await ann.delete(path)).status == 404
    assert [await list_on(ann, item), await list_mine(ann), await list_mine(ann, q="kept")] == [[], [], []]
    assert made["id"] not in (await ann.get(f"/api/v1/media/{item['media_id']}/fragments?highlights=1")).body.decode()
    assert (await ann.post(f"{path}/restore")).data == made
    assert await list_on(ann, item) == [made]
    await ann.delete(path)
    with writing(saving.kept.database) as tx:
        highlights.forget_removed_before(tx, utc_now() + UNDO_WITHIN)
    assert (await ann.post(f"{path}/restore")).status == 404
    with reading(saving.kept.database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.highlights)).scalar_one() == 0
        assert tx.execute(select(func.count()).select_from(tables.search_highlights)).scalar_one() == 0


async def test_a_page_takes_no_more_than_its_limit_of_one_person(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    await save_article(saving, bob, origin.url("/a"))
    assert ann.user is not None
    now, media_id = utc_now(), UUID(item["media_id"])
    many = [
        Highlight(new_id(), ann.user.id, media_id, None, Quote(str(number)), Colour.RED, None, 1, now, now)
        for number in range(MAX_PER_MEDIA)
    ]
    with writing(saving.kept.database) as tx:
        highlights.insert_highlights(tx, many)
    answer = await ann.post(f"/api/v1/media/{media_id}/highlights", {"exact": "storm"})
    assert (answer.status, answer.error_code) == (409, "E_TOO_MANY_HIGHLIGHTS")
    await post_highlight(bob, item["media_id"], "storm")
    await ann.delete(f"/api/v1/highlights/{many[0].id}")
    await post_highlight(ann, item["media_id"], "storm")


async def test_a_note_does_not_grow_past_what_a_page_takes(saving: RunningKept, ann: Person, origin: Origin) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "storm", note="x" * 100)
    assert ann.user is not None
    now, media_id, notes = utc_now(), UUID(item["media_id"]), MAX_CHARACTERS_PER_MEDIA // MAX_NOTE
    many = [
        Highlight(new_id(), ann.user.id, media_id, None, Quote("q"), Colour.RED, "x" * MAX_NOTE, 1, now, now)
        for _ in range(notes)
    ]
    with writing(saving.kept.database) as tx:
        highlights.insert_highlights(tx, many)
    path = f"/api/v1/highlights/{made['id']}"
    assert (await ann.patch(path, {"note": "x" * 101})).error_code == "E_TOO_MANY_HIGHLIGHTS"
    assert (await ann.patch(path, {"note": "x" * 99})).status == 200, "a note that gets shorter is no harm"
    await ann.delete(f"/api/v1/highlights/{many[0].id}")
    assert (await ann.patch(path, {"note": "x" * 200})).status == 200


# --- all of one's own ------------------------------------------------------------------------------------------------


@on_both_databases
async def test_ones_own_are_listed_newest_first_and_narrowed(saving: RunningKept, ann: Person, origin: Origin) -> None:
    first = await save_article(saving, ann, origin.url("/a"))
    second = await save_article(saving, ann, "https://blog.example.org/b")
    await post_highlight(ann, first["media_id"], "storm", colour="red", note="Über Wolken")
    await post_highlight(ann, second["media_id"], "boats lay still", colour="green")
    await post_highlight(ann, first["media_id"], "morning")
    assert texts(await list_mine(ann)) == ["morning", "boats lay still", "storm"]
    assert texts(await list_mine(ann, colour="red")) == ["storm"]
    assert texts(await list_mine(ann, q="uber")) == ["storm"]
    assert texts(await list_mine(ann, q='"lay still"')) == ["boats lay still"]
    assert texts(await list_mine(ann, q="-boats")) == ["morning", "storm"]
    assert texts(await list_mine(ann, site="example.org")) == ["boats lay still"]
    assert texts(await list_mine(ann, q="site:blog.example.org")) == ["boats lay still"]
    assert texts(await list_mine(ann, q="-site:example.org")) == ["morning", "storm"]
    assert await list_mine(ann, site="example.com") == []
    assert (await ann.get("/api/v1/highlights?site=%20")).status == 400
    page = await ann.get("/api/v1/highlights?limit=2")
    rest = await ann.get(f"/api/v1/highlights?limit=2&cursor={page.json['next_cursor']}")
    assert texts(page.data + rest.data) == ["morning", "boats lay still", "storm"]


@on_both_databases
async def test_ones_own_are_found_by_time_and_by_this_day_of_other_years(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    made = [await post_highlight(ann, item["media_id"], exact) for exact in ("Nobody", "storm", "boats", "morning")]
    times = ("2024-02-29T23:59:59Z", "2025-03-01T00:00:00Z", "2025-03-01T23:59:59Z", "2026-03-01T12:00:00Z")
    with writing(saving.kept.database) as tx:
        for highlight, time in zip(made, times, strict=True):
            highlights.update_highlight(tx, UUID(highlight["id"]), created_at=datetime.fromisoformat(time))
    assert texts(await list_mine(ann, on_day="2026-03-01")) == ["boats", "storm"]
    assert texts(await list_mine(ann, on_day="2028-02-29")) == ["Nobody"]
    assert texts(await list_mine(ann, on_day="2027-03-01")) == ["morning", "boats", "storm"]
    assert await list_mine(ann, on_day="0001-01-01") == []
    assert texts(await list_mine(ann, since="2025-03-01T00:00:00Z", until="2025-03-01T23:59:59Z")) == ["storm"]
    assert texts(await list_mine(ann, q="before:2025")) == ["Nobody"]
    assert texts(await list_mine(ann, q="after:2026")) == ["morning"]
    assert (await ann.get("/api/v1/highlights?on_day=1")).status == 400
    assert (await ann.get("/api/v1/highlights?on_day=2026-02-30")).status == 400
    assert (await ann.get("/api/v1/highlights?cursor=x")).status == 400


# --- who may still see a page ----------------------------------------------------------------------------------------


@on_both_databases
async def test_highlights_go_with_the_page_and_come_back_with_it(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_article(saving, ann, origin.url("/a"))
    await save_article(saving, bob, origin.url("/a"))
    made = await post_highlight(ann, item["media_id"], "storm")
    await ann.delete(f"/api/v1/items/{item['id']}")
    assert await list_mine(ann) == []
    assert (await ann.get(f"/api/v1/highlights/{made['id']}")).status == 404
    assert (await ann.get(f"/api/v1/media/{item['media_id']}/highlights")).status == 404
    await ann.save(origin.url("/a"), wait=False)
    assert [found["id"] for found in await list_mine(ann)] == [made["id"]]


async def test_who_leaves_a_library_no_longer_reads_what_they_marked_there(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    item = await ann.save(origin.url("/a"), wait=False, library_id=library_id)
    ingest(saving.kept.database, item["media_id"], TEXT)
    made = await post_highlight(bob, item["media_id"], "storm")
    assert bob.user is not None
    await ann.delete(f"/api/v1/libraries/{library_id}/members/{bob.user.id}")
    assert await list_mine(bob) == []
    assert (await bob.patch(f"/api/v1/highlights/{made['id']}", {"note": "x"})).status == 404


async def test_what_does_not_exist_is_not_found(ann: Person) -> None:
    assert (await ann.get(f"/api/v1/highlights/{uuid4()}")).error_code == "E_NOT_FOUND"
    assert (await ann.post(f"/api/v1/media/{uuid4()}/highlights", {"exact": "x"})).error_code == "E_NOT_FOUND"
