"""Keep a new copy, move, remove: what becomes of the copies people have (docs/decisions/0021)."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from kept.clock import utc_now
from kept.domain.failures import FailureCode
from kept.services.maintenance.cleaning import remove_orphans
from kept.storage import removals, tables
from support.builders.articles import fail, ingest
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = [
    pytest.mark.requirement("Kept", "new copies; older ones stay readable"),
    pytest.mark.requirement(
        "differs", "002 §6: a retry deletes the article → articles are never deleted; a new copy stands beside"
    ),
]

OLD, NEW = "<p>The old words.</p>", "<p>The new words.</p>"


async def save_ready(saving: RunningKept, person: Person, url: str, **fields: Any) -> Any:
    item = await person.save(url, wait=False, **fields)
    if item["processing_status"] == "pending":
        ingest(saving.kept.database, item["media_id"], OLD)
    return (await person.get(f"/api/v1/items/{item['id']}")).data


async def recapture(person: Person, item: Any) -> str:
    """The id of the media that is being made."""
    answer = await person.post(f"/api/v1/items/{item['id']}/recapture")
    assert answer.status == 202, answer.body
    [made] = [copy for copy in answer.data if copy["processing_status"] != "ready_for_reading"]
    return str(made["media_id"])


async def read(person: Person, item: Any) -> str:
    media_id = (await person.get(f"/api/v1/items/{item['id']}")).data["media_id"]
    return str((await person.get(f"/media/{media_id}/fragments")).data["fragments"][0]["html_sanitized"])


async def listed(person: Person) -> list[str]:
    return [item["id"] for item in (await person.get("/api/v1/items")).data]


async def clean_up(saving: RunningKept) -> int:
    """Once what was removed can no longer be undone."""
    with writing(saving.kept.database) as tx:
        removals.forget_before(tx, utc_now())
    return await remove_orphans(saving.kept.database, saving.kept.blobs, now=utc_now())


async def test_a_new_copy_takes_over_once_it_is_ready_and_the_old_one_stays_beside_it(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"), note="Mine", tags=["kept"])
    old_id = item["media_id"]
    await ann.patch(f"/api/v1/items/{item['id']}", {"is_favourite": True, "progress": 0.5})
    new_id = await recapture(ann, item)
    assert (await read(ann, item), await listed(ann)) == (OLD, [item["id"]])
    ingest(saving.kept.database, new_id, NEW)
    assert (await read(ann, item), await listed(ann)) == (NEW, [item["id"]])
    now = (await ann.get(f"/api/v1/items/{item['id']}")).data
    assert (now["media_id"], now["note"], now["tags"]) == (new_id, "Mine", ["kept"])
    assert (now["reading"]["is_favourite"], now["reading"]["progress"]) == (True, 0.0)
    copies = (await ann.get(f"/api/v1/items/{item['id']}/copies")).data
    assert [(copy["media_id"], copy["is_current"]) for copy in copies] == [(new_id, True), (old_id, False)]
    assert (await ann.get(f"/media/{old_id}/fragments")).status == 200


async def test_the_new_copy_has_the_pages_addresses_and_the_old_one_none(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    new_id = await recapture(ann, item)
    ingest(saving.kept.database, new_id, NEW)
    theirs = await bob.save(origin.url("/a"), wait=False)
    assert theirs["media_id"] == new_id
    with reading(saving.kept.database) as tx:
        old = tx.execute(select(tables.media).where(tables.media.c.id == UUID(item["media_id"]))).one()
    assert (old.canonical_url, str(old.superseded_by)) == (None, new_id)


async def test_if_it_fails_the_old_copy_simply_stays_and_one_can_try_again(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    fail(saving.kept.database, await recapture(ann, item), FailureCode.FETCH_FAILED)
    assert (await read(ann, item), await listed(ann)) == (OLD, [item["id"]])
    copies = (await ann.get(f"/api/v1/items/{item['id']}/copies")).data
    assert [(copy["processing_status"], copy["failure_code"]) for copy in copies] == [
        ("failed", "E_FETCH_FAILED"),
        ("ready_for_reading", None),
    ]
    assert (await save_ready(saving, bob, origin.url("/a")))["media_id"] == item["media_id"]
    second = await recapture(ann, item)
    assert await remove_orphans(saving.kept.database, saving.kept.blobs, now=utc_now()) == 1  # the one that failed
    ingest(saving.kept.database, second, NEW)
    assert (await read(ann, item), len((await ann.get(f"/api/v1/items/{item['id']}/copies")).data)) == (NEW, 2)


async def test_others_keep_the_copy_they_have(saving: RunningKept, ann: Person, bob: Person, origin: Origin) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    theirs = await save_ready(saving, bob, origin.url("/a"), note="Bob's")
    new_id = await recapture(ann, item)
    ingest(saving.kept.database, new_id, NEW)
    assert (await read(ann, item), await read(bob, theirs)) == (NEW, OLD)
    assert (await bob.get(f"/media/{new_id}")).status == 404
    assert [copy["is_current"] for copy in (await bob.get(f"/api/v1/items/{theirs['id']}/copies")).data] == [True]
    again = await bob.post("/api/v1/items", {"url": origin.url("/a"), "tags": ["more"]})
    assert (again.status, again.data["id"], again.data["note"]) == (200, theirs["id"], "Bob's")
    third = await recapture(bob, theirs)  # of the page as it is now, whoever took the copy before
    ingest(saving.kept.database, third, "<p>The newest words.</p>")
    assert (await read(bob, theirs), await read(ann, item)) == ("<p>The newest words.</p>", NEW)


async def test_two_who_ask_at_once_share_one_new_copy(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    theirs = await save_ready(saving, bob, origin.url("/a"))
    assert await recapture(ann, item) == await recapture(bob, theirs) == await recapture(ann, item)
    ingest(saving.kept.database, await recapture(ann, item), NEW)
    assert (await read(ann, item), await read(bob, theirs)) == (NEW, NEW)


async def test_there_is_no_new_copy_of_what_has_none_and_a_member_may_not_ask(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    pending = await ann.save(origin.url("/b"), wait=False)
    assert (await ann.post(f"/api/v1/items/{pending['id']}/recapture")).status == 409
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id)
    assert (await bob.post(f"/api/v1/items/{shared['id']}/recapture")).status == 403
    assert (await bob.get(f"/api/v1/items/{shared['id']}/copies")).status == 200


async def test_removing_an_item_removes_its_copies_and_nobody_elses(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    theirs = await save_ready(saving, bob, origin.url("/a"))
    ingest(saving.kept.database, await recapture(ann, item), NEW)
    assert (await ann.delete(f"/api/v1/items/{item['id']}")).status == 204
    assert (await listed(ann), await read(bob, theirs)) == ([], OLD)
    assert await clean_up(saving) == 1
    # the page's addresses lead to the copy that is left
    back = await ann.save(origin.url("/a"), wait=False)
    assert (back["media_id"], await read(bob, theirs)) == (theirs["media_id"], OLD)


async def test_a_new_copy_nobody_waits_for_any_more_takes_nothing_over(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    theirs = await save_ready(saving, bob, origin.url("/a"))
    new_id = await recapture(ann, item)
    await ann.delete(f"/api/v1/items/{item['id']}")
    ingest(saving.kept.database, new_id, NEW)
    assert await clean_up(saving) == 1
    assert (await ann.save(origin.url("/a")))["media_id"] == theirs["media_id"]


# --- moving ----------------------------------------------------------------------------------------------------------


async def test_an_item_moves_with_its_words_tags_and_copies(saving: RunningKept, ann: Person, origin: Origin) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    item = await save_ready(saving, ann, origin.url("/a"), note="Mine", tags=["kept"])
    ingest(saving.kept.database, await recapture(ann, item), NEW)
    moved = await ann.post(f"/api/v1/items/{item['id']}/move", {"library_id": library_id})
    assert (moved.status, moved.data["library_id"], moved.data["id"]) == (200, library_id, item["id"])
    assert (moved.data["note"], moved.data["tags"], await read(ann, item)) == ("Mine", ["kept"], NEW)
    assert len((await ann.get(f"/api/v1/items/{item['id']}/copies")).data) == 2
    [own] = (await ann.get("/api/v1/items")).data  # what is in any library is in one's own
    assert (own["media_id"], own["note"]) == (moved.data["media_id"], None)


async def test_an_item_that_is_there_already_is_united_with_the_one_that_comes(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id, note="Team's", tags=["team"])
    [own] = (await ann.get("/api/v1/items")).data
    await ann.patch(f"/api/v1/items/{own['id']}", {"note": "Mine", "tags": ["mine"], "title": "T"})
    moved = (await ann.post(f"/api/v1/items/{own['id']}/move", {"library_id": library_id})).data
    assert (moved["id"], moved["note"], moved["tags"], moved["title"]) == (
        shared["id"],
        "Team's\n\nMine",
        ["mine", "team"],
        "T",
    )


async def test_moving_needs_an_admin_on_both_sides(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id)
    theirs = await save_ready(saving, bob, origin.url("/b"))
    [own_library] = [found["id"] for found in (await bob.get("/api/v1/libraries")).data if found["is_default"]]
    [anns] = [found["id"] for found in (await ann.get("/api/v1/libraries")).data if found["is_default"]]
    moves = ((shared, own_library), (theirs, library_id), (theirs, anns))
    statuses = [(await bob.post(f"/api/v1/items/{i['id']}/move", {"library_id": to})).status for i, to in moves]
    assert statuses == [403, 403, 404]
