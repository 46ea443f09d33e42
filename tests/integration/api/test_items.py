"""Listing, changing and removing items; one's own reading state."""

from typing import Any

import pytest
from sqlalchemy import select

from kept.storage.tables import jobs
from support.builders.importing import upload_import, work_off_imports
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept


async def save_several(person: Person, origin: Origin, count: int) -> list[Any]:
    return [await person.save(origin.url(f"/{number}"), wait=False) for number in range(count)]


async def list_ids(person: Person, query: str = "") -> list[str]:
    answer = await person.get(f"/api/v1/items?{query}")
    assert answer.status == 200, answer.body
    return [item["id"] for item in answer.data]


@on_both_databases
async def test_items_come_newest_first_in_pages_without_gaps_or_repeats(ann: Person, origin: Origin) -> None:
    saved = [item["id"] for item in await save_several(ann, origin, 7)]
    seen: list[str] = []
    cursor = ""
    for _ in range(4):
        answer = await ann.get(f"/api/v1/items?limit=2{cursor}")
        seen += [item["id"] for item in answer.data]
        if answer.json["next_cursor"] is None:
            break
        cursor = f"&cursor={answer.json['next_cursor']}"
        await ann.save(origin.url(f"/later-{len(seen)}"), wait=False)  # a newcomer moves nobody
    assert seen == saved[::-1]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "cursor=x", "status=done", "library_id=1", "nonsense=1"])
async def test_a_bad_query_gets_a_clear_error(ann: Person, query: str) -> None:
    answer = await ann.get(f"/api/v1/items?{query}")
    assert (answer.status, answer.error_code) == (400, "E_INVALID_REQUEST")


@on_both_databases
async def test_filters_narrow_the_list(ann: Person, origin: Origin) -> None:
    plain = await ann.save(origin.url("/plain"), wait=False)
    tagged = await ann.save(origin.url("/tagged"), wait=False, tags=["Linux"])
    blocked = await ann.save("http://10.0.0.1/")
    for change in ({"is_favourite": True}, {"is_read": True}, {"is_archived": True}):
        await ann.patch(f"/api/v1/items/{plain['id']}", change)
    assert await list_ids(ann, "tag=linux") == [tagged["id"]]
    assert await list_ids(ann, "tag=nothing") == []
    assert await list_ids(ann, "status=blocked") == [blocked["id"]]
    assert await list_ids(ann, "is_favourite=true") == [plain["id"]]
    assert await list_ids(ann, "is_unread=true") == [blocked["id"], tagged["id"]]
    assert await list_ids(ann, "is_unread=false") == [plain["id"]]
    assert await list_ids(ann, "is_archived=false") == [blocked["id"], tagged["id"]]
    when = tagged["created_at"].replace("+", "%2B")
    assert await list_ids(ann, f"added_before={when}") == [plain["id"]]
    assert await list_ids(ann, f"added_after={when}") == [blocked["id"]]


@on_both_databases
async def test_words_can_be_changed_emptied_and_left_alone(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", article("Page")), title="Mine", note="Note", tags=["a", "b"])
    path = f"/api/v1/items/{item['id']}"
    changed = (await ann.patch(path, {"title": None, "tags": ["c"]})).data
    assert (changed["title"], changed["own_title"], changed["note"], changed["tags"]) == ("Page", None, "Note", ["c"])
    assert (await ann.get(path)).data == changed


@on_both_databases
async def test_reading_state_is_ones_own_and_words_are_the_librarys(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    item = await ann.save(origin.page("/a", article()), library_id=library_id)
    path = f"/api/v1/items/{item['id']}"
    read = await bob.patch(path, {"is_read": True, "progress": 0.5})
    assert (read.status, read.data["reading"]["progress"]) == (200, 0.5)
    assert (await ann.get(path)).data["reading"]["read_at"] is None
    changes: list[dict[str, Any]] = [{"title": "Bob's"}, {"tags": []}]
    for change in changes:
        answer = await bob.patch(path, change)
        assert (answer.status, answer.error_code) == (403, "E_FORBIDDEN")
    assert (await bob.delete(path)).status == 403


async def test_an_item_nobody_showed_one_is_not_there(saving: RunningKept, ann: Person, origin: Origin) -> None:
    bob = await saving.make_person("bob")
    item = await ann.save(origin.page("/a", article()))
    path = f"/api/v1/items/{item['id']}"
    assert [
        (await bob.get(path)).status,
        (await bob.patch(path, {"is_read": True})).status,
        (await bob.delete(path)).status,
        (await bob.post(f"{path}/enrich")).status,
        (await bob.get(f"{path}/thumbnail")).status,
    ] == [404] * 5


@on_both_databases
async def test_a_removed_item_is_gone_and_others_keep_theirs(saving: RunningKept, ann: Person, origin: Origin) -> None:
    bob = await saving.make_person("bob")
    url = origin.page("/a", article())
    mine, bobs = await ann.save(url), await bob.save(url)
    assert (await ann.delete(f"/api/v1/items/{mine['id']}")).status == 204
    assert await list_ids(ann) == []
    assert await list_ids(bob) == [bobs["id"]]


@pytest.mark.requirement("000", "FR-016", "US5")
@pytest.mark.requirement("001", "§10")
@on_both_databases
async def test_us5_fr_016_enriching_again_refreshes_and_asks_for_a_screenshot_only_without_a_picture(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await ann.save(origin.page("/a", article("Old", image=None)), note="kept")
    origin.page("/a", article("New", "Newer", image=None))
    path = f"/api/v1/items/{item['id']}/enrich"
    again = await ann.post(path)
    assert (again.status, again.data["title"], again.data["excerpt"]) == (200, "New", "Newer")
    assert (again.data["enrichment_status"], again.data["note"]) == ("pending", "kept")
    assert queued(saving) == ["ingest", "render"]
    origin.page("/a", article("New", image="/i.png"))
    pictured = await ann.post(path)
    assert (pictured.data["enrichment_status"], pictured.data["preview_image_url"]) == (
        "succeeded",
        origin.url("/i.png"),
    )


async def test_enriching_a_page_that_is_gone_loses_nothing(ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", article("Good")))
    origin.page("/a", "<title>Not found</title>", status=404)
    again = (await ann.post(f"/api/v1/items/{item['id']}/enrich")).data
    assert (again["title"], again["enrichment_status"]) == ("Good", "succeeded")
    assert again["enrichment_error"] == "The site answered with an error (404)."


def queued(saving: RunningKept) -> list[str]:
    with reading(saving.kept.database) as tx:
        return sorted(tx.execute(select(jobs.c.kind)).scalars())


@pytest.mark.requirement("000", "`enrichedAt` of an item (key entities)")
async def test_000_an_item_and_its_media_say_when_the_card_was_filled(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    url = origin.page("/a", article())
    item = await ann.save(url)
    assert item["created_at"] <= item["enriched_at"]
    assert (await ann.get(f"/api/v1/items/{item['id']}")).data["enriched_at"] == item["enriched_at"]
    assert (await ann.get(f"/api/v1/media/{item['media_id']}")).data["enriched_at"] == item["enriched_at"]
    waiting = await ann.save(origin.page("/b", article(image=None)))
    assert (waiting["enrichment_status"], waiting["enriched_at"]) == ("pending", None)
    # it would tell bob when somebody else saved the page
    theirs = await bob.save(url)
    assert theirs["enriched_at"] is None
    assert (await bob.get(f"/api/v1/media/{item['media_id']}")).data["enriched_at"] is None


@pytest.mark.requirement("Kept", "nobody learns another person's submitted URL, redirects or saving time")
async def test_a_date_that_came_with_a_file_does_not_tell_when_somebody_else_saved_the_page(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    url = origin.page("/a", article())
    await ann.save(url)
    await upload_import(bob, f"url,created\n{url},2001-01-01T00:00:00Z\n".encode(), "?file_name=old.csv&format=csv")
    await work_off_imports(saving)
    [item] = (await bob.get("/api/v1/items")).data
    assert item["created_at"].startswith("2001")
    assert item["enriched_at"] is None
    assert (await bob.get(f"/api/v1/media/{item['media_id']}")).data["enriched_at"] is None


@pytest.mark.requirement("Kept", "a note stays within its limit")
async def test_a_note_cannot_grow_past_its_limit_by_saving_again(ann: Person, origin: Origin) -> None:
    url = origin.url("/page")
    saved = await ann.save(url, note="a" * 60_000, wait=False)
    again = await ann.post("/api/v1/items", {"url": url, "note": "b" * 60_000, "wait": False})
    assert (again.status, again.error_code) == (400, "E_INVALID_REQUEST")
    assert "note" in again.json["error"]["message"]
    assert (await ann.get(f"/api/v1/items/{saved['id']}")).data["note"] == "a" * 60_000
