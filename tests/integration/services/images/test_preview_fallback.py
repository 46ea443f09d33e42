"""A preview image that cannot be stored: the card falls back to a screenshot, and enriching again replaces it."""

from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select

from kept.clock import utc_now
from kept.domain.job import JobKind, Queue
from kept.services.images.store import store_images
from kept.storage.queue.claiming import Postponed, claim
from kept.storage.tables import jobs
from support.builders.articles import BODY, get_media
from support.builders.jobs import RULES
from support.builders.pictures import SVG, picture
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.servers.origin import Handler, Origin, article
from support.servers.serving import Person, RunningKept, run_kept
from support.servers.working import Worker

pytestmark = [
    pytest.mark.requirement("000", "FR-016", "US5"),
    pytest.mark.requirement(
        "differs", "000 FR-005: an image's URL is enough → a screenshot replaces an image that cannot be stored"
    ),
]


async def store_all(saving: RunningKept) -> None:
    """Work off the `store_images` jobs that are due."""
    while True:
        with writing(saving.kept.database) as tx:
            job = claim(tx, Queue.INGEST, [JobKind.STORE_IMAGES], now=utc_now(), rules=RULES)
        if job is None or isinstance(job, Postponed):
            return
        await store_images(saving.kept.images, job)


def queued(saving: RunningKept) -> list[str]:
    with reading(saving.kept.database) as tx:
        return sorted(tx.execute(select(jobs.c.kind)).scalars())


async def see(person: Person, item: Any) -> Any:
    return (await person.get(f"/api/v1/items/{item['id']}")).data


def answer(body: bytes, content_type: str, status: int = 200) -> Handler:
    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, content_type=content_type, status=status)

    return handler


async def lead_inside(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "http://10.0.0.1/secret.png"})


UNUSABLE = [
    pytest.param(answer(b"", "text/plain", 404), id="dead"),
    pytest.param(answer(SVG, "image/svg+xml"), id="SVG"),
    pytest.param(lead_inside, id="private"),
]


@pytest.mark.parametrize("handler", UNUSABLE)
async def test_a_preview_image_that_cannot_be_stored_leaves_the_card_waiting_for_a_screenshot(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, handler: Handler
) -> None:
    origin.on("/picture.jpg", handler)
    item = await ann.save(origin.page("/a", article(body=BODY)))
    assert item["preview_src"] is not None
    await worker.work_off()
    await store_all(saving)
    seen = await see(ann, item)
    assert (seen["enrichment_status"], seen["preview_src"]) == ("pending", None)
    assert seen["preview_image_url"] == origin.url("/picture.jpg")
    assert queued(saving) == ["render"]


@on_both_databases
async def test_a_look_at_an_unusable_image_brings_the_screenshot_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body="<p>Hi.</p>")))
    await worker.work_off()
    assert queued(saving) == []
    assert (await ann.get(item["preview_src"])).status == 404
    assert queued(saving) == ["render"]
    assert (await see(ann, item))["enrichment_status"] == "pending"


async def test_an_image_whose_site_is_busy_is_tried_again_before_it_is_given_up(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.on("/picture.jpg", answer(b"", "text/plain", 503))
    item = await ann.save(origin.page("/a", article(body=BODY)))
    await worker.work_off()
    await store_all(saving)
    assert (await see(ann, item))["enrichment_status"] == "succeeded"
    assert queued(saving) == ["store_images"]


async def test_without_a_browser_a_card_ends_with_what_it_says(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = saving.kept.settings.model_copy(update={"render": "never"})
    monkeypatch.setattr(saving.kept.images, "settings", never)
    titled = await ann.save(origin.page("/a", article(body=BODY)))
    bare = await ann.save(origin.page("/b", article(None, None, body="<p>Hi.</p>")))
    await worker.work_off()
    for item in (titled, bare):
        assert (await ann.get(item["preview_src"])).status == 404
    assert [(await see(ann, item))["enrichment_status"] for item in (titled, bare)] == ["succeeded", "failed"]
    assert JobKind.RENDER not in queued(saving)


async def test_enriching_again_replaces_an_image_that_was_unusable(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    await worker.work_off()
    await store_all(saving)
    origin.page("/a", article(image="/new.png", body=BODY))
    origin.file("/new.png", picture(), "image/png")
    seen = (await ann.post(f"/api/v1/items/{item['id']}/enrich")).data
    assert (seen["enrichment_status"], seen["preview_image_url"]) == ("succeeded", origin.url("/new.png"))
    assert "store_images" in queued(saving)
    assert (await ann.get(seen["preview_src"])).status == 200


async def test_enriching_again_tries_an_unusable_image_once_more_and_falls_back_again(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    await worker.work_off()
    await store_all(saving)
    assert (await ann.post(f"/api/v1/items/{item['id']}/enrich")).data["enrichment_status"] == "succeeded"
    await store_all(saving)
    assert (await see(ann, item))["enrichment_status"] == "pending"
    assert queued(saving) == ["render"]


async def test_enriching_again_drops_an_image_the_page_no_longer_has_and_asks_for_a_screenshot(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.file("/picture.jpg", picture(), "image/png")
    item = await ann.save(origin.page("/a", article("Old", body=BODY)))
    await worker.work_off()
    await store_all(saving)
    origin.page("/a", article("New", image=None, body=BODY))
    seen = (await ann.post(f"/api/v1/items/{item['id']}/enrich")).data
    assert (seen["title"], seen["preview_image_url"], seen["enrichment_status"]) == ("New", None, "pending")
    assert queued(saving) == ["render"]


async def test_enriching_a_page_that_shows_a_wall_drops_nothing(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Good", body=BODY)))
    origin.page("/a", "<title>Sign in</title><h1>Sign in</h1><form><input type=password></form>")
    seen = (await ann.post(f"/api/v1/items/{item['id']}/enrich")).data
    assert (seen["preview_image_url"], seen["enrichment_status"]) == (item["preview_image_url"], "succeeded")


async def test_where_no_browser_may_be_used_enriching_leaves_no_card_pending(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("Title", image=None, body=BODY)))
    await worker.work_off()
    async with run_kept(saving.kept.settings.model_copy(update={"render": "never"})) as without_browser:
        person = Person(without_browser.address, ann.token)
        seen = (await person.post(f"/api/v1/items/{item['id']}/enrich")).data
    assert (seen["enrichment_status"], "render" in queued(saving)) == ("succeeded", False)


@pytest.mark.requirement("000", "US2 a readable page without a storable image gets a screenshot")
async def test_the_screenshot_takes_the_place_of_a_dead_image(
    saving: RunningKept, ann: Person, origin: Origin, browser_worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article(body=BODY)))
    await browser_worker.work_off()
    await store_all(saving)
    await browser_worker.work_off()
    found = get_media(saving, item)
    assert (found.enrichment_status, found.thumbnail_key is not None) == ("succeeded", True)
    thumbnail = await ann.get((await see(ann, item))["preview_src"])
    assert (thumbnail.status, thumbnail.body[8:12]) == (200, b"WEBP")
