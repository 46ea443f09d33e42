"""Lists and searches over all libraries a person can read (`library_id=all`), each page once."""

from typing import Any
from urllib.parse import urlencode

import pytest

from support.builders.articles import BODY
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "lists and searches over all libraries, each page once")


async def make_library(person: Person, name: str, *members: Person) -> str:
    library_id: str = (await person.post("/api/v1/libraries", {"name": name})).data["id"]
    for member in members:
        assert member.user is not None
        added = await person.post(f"/api/v1/libraries/{library_id}/members", {"user_name": member.user.name})
        assert added.status == 201
    return library_id


async def list_all(person: Person, **query: Any) -> list[Any]:
    answer = await person.get("/api/v1/items?" + urlencode({"library_id": "all", **query}))
    assert answer.status == 200, answer.body
    return list(answer.data)


async def search_all(person: Person, text: str, **query: Any) -> list[Any]:
    answer = await person.get("/api/v1/search?" + urlencode({"library_id": "all", "q": text, **query}))
    assert answer.status == 200, answer.body
    return list(answer.data)


@on_both_databases
async def test_a_list_of_all_libraries_has_each_page_once_newest_first(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    team, club = await make_library(bob, "Team", ann), await make_library(bob, "Club", ann)
    await make_library(bob, "Secret")
    own = await ann.save(origin.url("/own"), wait=False)
    theirs = await bob.save(origin.url("/team"), library_id=team, wait=False)
    await bob.save(origin.url("/bob"), wait=False)
    both = await bob.save(origin.url("/both"), library_id=team, wait=False)
    await bob.save(origin.url("/both"), library_id=club, wait=False)
    shared = await bob.save(origin.url("/shared"), library_id=team, wait=False)
    mine_too = await ann.save(origin.url("/shared"), wait=False)
    listed = await list_all(ann)
    # of a page in several libraries the item of one's own, else the one that was there first
    assert [item["id"] for item in listed] == [mine_too["id"], both["id"], theirs["id"], own["id"]]
    assert shared["id"] not in [item["id"] for item in listed]
    assert [item["id"] for item in await list_all(ann, is_unread="true")] == [item["id"] for item in listed]
    assert await list_all(ann, is_favourite="true") == []


@on_both_databases
async def test_the_pages_of_such_a_list_are_stable_while_more_is_saved(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    teams = [await make_library(bob, f"Team {n}", ann) for n in range(3)]
    saved = [await bob.save(origin.url(f"/{n}"), library_id=teams[n % 3], wait=False) for n in range(11)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = await ann.get("/api/v1/items?" + urlencode({"library_id": "all", "limit": 4, "cursor": cursor}))
        seen += [item["id"] for item in page.data]
        cursor = page.json["next_cursor"]
        await bob.save(origin.url(f"/later-{len(seen)}"), library_id=teams[0], wait=False)
    assert seen == [item["id"] for item in reversed(saved)]


@on_both_databases
async def test_a_tag_finds_the_item_that_has_it_whatever_ones_own_item_says(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    team = await make_library(bob, "Team", ann)
    tagged = await bob.save(origin.url("/a"), library_id=team, tags=["harbour"], wait=False)
    plain = await ann.save(origin.url("/a"), wait=False)
    assert [item["id"] for item in await list_all(ann, tag="harbour")] == [tagged["id"]]
    assert [item["id"] for item in await search_all(ann, "tag:harbour")] == [tagged["id"]]
    assert [item["id"] for item in await search_all(ann, "-tag:harbour")] == [plain["id"]]
    assert [item["id"] for item in await search_all(ann, "is:unread")] == [plain["id"]]


@on_both_databases
async def test_a_search_of_all_libraries_finds_each_page_once_and_nobody_elses(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, worker: Worker
) -> None:
    team = await make_library(bob, "Team", ann)
    page = origin.page("/a", article("The harbour", body=BODY))
    noted = await bob.save(page, library_id=team, note="seagulls")
    await ann.save(page)
    await bob.save(origin.page("/b", article("Bob's harbour", body=BODY)), note="seagulls")
    await worker.work_off()
    found = await search_all(ann, "harbour")
    assert [item["url"] for item in found] == [page]
    assert [item["id"] for item in await search_all(ann, "seagulls")] == [noted["id"]]
    assert len(await search_all(bob, "harbour", limit=1)) == 1
    assert len(await search_all(bob, "harbour")) == 2


async def test_another_word_than_all_is_no_library(saving: RunningKept, ann: Person) -> None:
    for path in ("/api/v1/items?library_id=every", "/api/v1/search?q=a&library_id=every"):
        assert (await ann.get(path)).status == 400


async def test_the_pages_have_a_view_of_all_libraries(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    only_own = (await ann.get("/", Accept="text/html")).body.decode()
    assert "All libraries" not in only_own
    team = await make_library(bob, "Team", ann)
    theirs = await bob.save(origin.url("/team"), library_id=team, wait=False)
    own = await ann.save(origin.url("/own"), wait=False)
    assert 'library=all"' in (await ann.get("/", Accept="text/html")).body.decode()
    page = (await ann.get("/?library=all", Accept="text/html")).body.decode()
    assert '<h1 class="is-view"><bdi>All libraries</bdi></h1>' in page
    assert [item["id"] in page for item in (theirs, own)] == [True, True]
    # what one may only read has no button that changes it
    assert page.count('value="delete" class="icon-button trash"') == 1
    assert page.count(">Team</span>") == 1
    found = (await ann.get("/?library=all&q=team", Accept="text/html")).body.decode()
    assert theirs["id"] in found
