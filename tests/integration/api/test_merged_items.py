"""An item's id leads to it for ever, also when it was united with another item of its library."""

from urllib.parse import urlencode

import pytest

from support.builders.articles import BODY
from support.builders.importing import upload_import, work_off_imports
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("004", "§11 the id of a merged item leads to the remaining one")


async def merge(ann: Person, origin: Origin, worker: Worker) -> tuple[str, str]:
    """Two items of one page, which turns out when a worker fetches it; the id that is gone and the id that stays."""
    url = origin.page("/a", article("One page", body=BODY))
    winner = await ann.save(url, note="first")
    loser = await ann.save(origin.redirect("/r", "/a"), wait=False, tags=["late"])
    assert loser["id"] != winner["id"]
    await worker.work_off()
    return loser["id"], winner["id"]


@on_both_databases
async def test_the_id_of_an_item_that_was_merged_away_leads_to_the_one_that_stayed(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    gone, stays = await merge(ann, origin, worker)
    answer = await ann.get(f"/api/v1/items/{gone}")
    assert (answer.status, answer.data["id"], answer.data["tags"]) == (200, stays, ["late"])
    changed = await ann.patch(f"/api/v1/items/{gone}", {"is_read": True, "note": "changed"})
    assert (changed.data["id"], changed.data["note"]) == (stays, "changed")
    for path in (f"/read/{gone}", f"/history/{gone}", f"/items/{gone}", f"/cards/{gone}"):
        assert (await ann.get(path, Accept="text/html")).status == 200, path
    assert (await ann.get(f"/api/v1/items/{gone}/article.txt")).status == 200
    form = urlencode({"item": gone, "action": "tag", "tag": "x", "back": "/"})
    await ann.send("/items", form, **{"Content-Type": "application/x-www-form-urlencoded"})
    assert (await ann.get(f"/api/v1/items/{stays}")).data["tags"] == ["late", "x"]


async def test_nobody_else_is_led_to_it(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, worker: Worker
) -> None:
    gone, _ = await merge(ann, origin, worker)
    assert (await bob.get(f"/api/v1/items/{gone}")).status == 404


async def test_a_merged_item_that_is_removed_is_gone_under_both_ids_and_comes_back_under_both(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    gone, stays = await merge(ann, origin, worker)
    form = urlencode({"item": gone, "action": "delete", "back": "/"})
    removed = await ann.send("/items", form, **{"Content-Type": "application/x-www-form-urlencoded"})
    assert [(await ann.get(f"/api/v1/items/{one}")).status for one in (gone, stays)] == [404, 404]
    batch = removed.headers["Location"].partition("undo=")[2]
    await ann.send("/undo", urlencode({"batch": batch}), **{"Content-Type": "application/x-www-form-urlencoded"})
    assert [(await ann.get(f"/api/v1/items/{one}")).data["id"] for one in (gone, stays)] == [stays, stays]


@on_both_databases
async def test_merges_one_after_the_other_lead_all_the_way(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """A library that gets the page while another item of it is moved there."""
    gone, stays = await merge(ann, origin, worker)
    team = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    there = await ann.save(origin.url("/a"), library_id=team)
    moved = await ann.post(f"/api/v1/items/{stays}/move", {"library_id": team})
    assert moved.data["id"] == there["id"]
    for one in (gone, stays):
        assert (await ann.get(f"/api/v1/items/{one}")).data["id"] == there["id"]


async def test_the_item_of_a_new_copy_leads_to_the_page_it_was_made_for(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("First", body=BODY)))
    await worker.work_off()
    copies = (await ann.post(f"/api/v1/items/{item['id']}/recapture")).data
    [made] = [copy["item_id"] for copy in copies if not copy["is_current"]]
    await worker.work_off()
    assert (await ann.get(f"/api/v1/items/{made}")).data["id"] == item["id"]


async def test_an_import_still_names_the_item_that_its_row_became(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    stays = await ann.save(origin.page("/a", article("One page", body=BODY)))
    await upload_import(ann, origin.redirect("/r", "/a").encode(), "?file_name=links.txt")
    await work_off_imports(saving)
    await worker.work_off()
    [started] = (await ann.get("/api/v1/imports")).data
    rows = (await ann.get(f"/api/v1/imports/{started['id']}/rows")).body.decode()
    assert stays["id"] in rows


@on_both_databases
async def test_a_save_through_a_redirect_to_a_page_that_is_there_answers_200(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    item = await ann.save(origin.page("/a", article("One page", body=BODY)))
    short = origin.redirect("/r", "/a")
    answer = await ann.post("/api/v1/items", {"url": short, "tags": ["late"]})
    assert (answer.status, answer.data["id"], answer.data["tags"]) == (200, item["id"], ["late"])
    assert (await bob.post("/api/v1/items", {"url": origin.redirect("/r2", "/a")})).status == 201
    form = urlencode({"url": origin.redirect("/r3", "/a"), "back": "/"})
    done = await ann.send("/add", form, **{"Content-Type": "application/x-www-form-urlencoded"})
    assert done.headers["Location"] == "/?done=known"
