"""A server that saves cards only (KEPT_ARCHIVE=false): the state says so, and the articles can be saved later."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from kept.services.ingesting.retries import list_card_only, retry_failed
from kept.subprocesses.extraction import ExtractorPool
from support.builders import uploaded_files as files
from support.builders.articles import BODY, get_media, list_history
from support.builders.importing import upload_import, work_off_imports
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Answer, Person, RunningKept
from support.servers.working import Worker, run_worker

pytestmark = [
    pytest.mark.requirement("Kept", "`KEPT_ARCHIVE=false` saves cards only; articles can follow later"),
    pytest.mark.requirement("differs", "003 §6.1: `enabled` → `KEPT_ARCHIVE`"),
]


@pytest.fixture
async def cards_worker(saving: RunningKept, extractors: ExtractorPool) -> AsyncIterator[Worker]:
    """A worker of a server that saves cards only."""
    settings = saving.kept.settings.model_copy(update={"archive": False})
    async with run_worker(saving, extractors, settings) as worker:
        yield worker.without_browser()


@on_both_databases
async def test_a_page_ends_as_card_only_and_not_as_pending(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("A card", body=BODY)))
    await cards_worker.work_off()
    told = (await ann.get(f"/api/v1/items/{item['id']}")).data
    assert (told["processing_status"], told["enrichment_status"], told["title"]) == ("card_only", "succeeded", "A card")
    assert [line.to_state for line in list_history(saving, item)][-1] == "card_only"
    assert cards_worker.count_jobs() == {}
    listed = (await ann.get("/api/v1/items?status=card_only")).data
    assert [one["id"] for one in listed] == [item["id"]]


async def test_a_page_without_an_image_ends_as_card_only_with_its_card_settled(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("A card", image=None, body=BODY)))
    await cards_worker.work_off()
    found = get_media(saving, item)
    assert (found.processing_status, found.enrichment_status) == ("card_only", "succeeded")


async def test_the_article_is_saved_later_when_somebody_asks_for_it(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker
) -> None:
    """Even while the server saves cards only: that is about saves, and this is a person's wish."""
    item = await ann.save(origin.page("/a", article("A card", body=BODY)))
    await cards_worker.work_off()
    answer = await ann.post(f"/api/v1/items/{item['id']}/ingest")
    assert (answer.status, answer.data["processing_status"]) == (202, "extracting")
    await cards_worker.work_off()
    assert get_media(saving, item).is_readable
    again = await ann.post(f"/api/v1/items/{item['id']}/ingest")
    assert (again.status, again.error_code) == (409, "E_CONFLICT")


async def test_a_retry_saves_the_article_too(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("A card", body=BODY)))
    await cards_worker.work_off()
    assert (await ann.post(f"/api/v1/media/{item['media_id']}/retry")).status == 202
    await worker.work_off()
    assert get_media(saving, item).is_readable


@on_both_databases
async def test_the_articles_of_all_cards_are_saved_later_at_once(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, cards_worker: Worker, worker: Worker
) -> None:
    mine = [await ann.save(origin.page(f"/{n}", article(f"Page {n}", body=BODY)), wait=False) for n in range(5)]
    theirs = await bob.save(origin.page("/bob", article("Bob's", body=BODY)))
    await cards_worker.work_off()
    answer = await ann.post("/api/v1/ingest", {"limit": 3})
    assert (answer.status, answer.data) == (202, {"queued": 3, "remaining": 2})
    assert (await ann.post("/api/v1/ingest")).data == {"queued": 2, "remaining": 0}
    assert (await ann.post("/api/v1/ingest")).data == {"queued": 0, "remaining": 0}
    await worker.work_off()
    assert all(get_media(saving, item).is_readable for item in mine)
    assert get_media(saving, theirs).processing_status == "card_only"


async def test_somebody_elses_cards_cannot_be_chosen(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, cards_worker: Worker
) -> None:
    theirs = await bob.save(origin.page("/bob", article("Bob's", body=BODY)))
    await cards_worker.work_off()
    assert (await ann.post(f"/api/v1/items/{theirs['id']}/ingest")).status == 404
    assert (await ann.post("/api/v1/ingest", {"library_id": theirs["library_id"]})).status == 404


async def test_with_the_setting_on_another_save_of_the_page_saves_its_article(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, cards_worker: Worker, worker: Worker
) -> None:
    url = origin.page("/a", article("A card", body=BODY))
    item = await ann.save(url)
    await cards_worker.work_off()
    await bob.save(url)
    await cards_worker.work_off()
    assert get_media(saving, item).processing_status == "card_only"
    await (await saving.make_person("cem")).save(url)
    await worker.work_off()
    assert get_media(saving, item).is_readable


async def test_a_new_copy_that_somebody_asked_for_is_made_all_the_same(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker, worker: Worker
) -> None:
    item = await ann.save(origin.page("/a", article("First", body=BODY)))
    await worker.work_off()
    assert (await ann.post(f"/api/v1/items/{item['id']}/recapture")).status == 202
    await cards_worker.work_off()
    copies = (await ann.get(f"/api/v1/items/{item['id']}/copies")).data
    assert [copy["processing_status"] for copy in copies] == ["ready_for_reading", "ready_for_reading"]


async def test_an_article_that_came_with_a_file_is_kept_all_the_same(
    saving: RunningKept, ann: Person, cards_worker: Worker
) -> None:
    """It cannot be fetched later, so that leaving it out would lose it."""
    await upload_import(ann, json.dumps([files.WALLABAG[0]]).encode(), "?file_name=wallabag.json")
    await work_off_imports(saving)
    await cards_worker.work_off()
    [item] = (await ann.get("/api/v1/items")).data
    assert item["processing_status"] == "ready_for_reading"


async def test_the_pages_say_card_only_and_offer_to_save_the_articles(
    saving: RunningKept, ann: Person, origin: Origin, cards_worker: Worker
) -> None:
    first, second, third = [await ann.save(origin.page(f"/{n}", article(f"Page {n}", body=BODY))) for n in range(3)]
    await cards_worker.work_off()
    library, activity = await read_page(ann, "/"), await read_page(ann, "/queue")
    assert library.count("Card only") == 3
    assert "Saving…" not in library
    assert "Save articles" in library
    assert "Save their articles" in activity
    history = await read_page(ann, f"/history/{first['id']}")
    assert "Only the card was saved." in history
    assert "Save the article" in history
    assert f'href="/whole/{first["id"]}"' in history
    assert "Save the whole page" in await read_page(ann, f"/whole/{first['id']}")
    done = await send_form(ann, "/items", {"item": first["id"], "action": "ingest", "back": "/"})
    assert done.headers["Location"] == "/?done=ingest&number=1"
    assert get_media(saving, first).processing_status == "extracting"
    done = await send_form(ann, "/queue/ingest", {})
    assert done.headers["Location"] == "/queue?done=ingest&number=2"
    assert {get_media(saving, item).processing_status for item in (second, third)} == {"extracting"}
    assert "Saving the article of 2 pages." in await read_page(ann, done.headers["Location"])


async def test_the_whole_page_of_a_card_is_kept_when_somebody_asks_for_it(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    settings = saving.kept.settings.model_copy(update={"archive": False})
    async with run_worker(saving, extractors, settings) as worker:
        item = await ann.save(origin.page("/a", article("A card", body=BODY)))
        await worker.work_off()
        assert (await ann.post(f"/api/v1/items/{item['id']}/capture")).status == 202
        await worker.work_off(ahead=timedelta(seconds=5))
    assert len((await ann.get(f"/api/v1/items/{item['id']}/captures")).data["captures"]) == 4
    assert get_media(saving, item).processing_status == "card_only"


async def read_page(person: Person, path: str) -> str:
    return (await person.get(path, Accept="text/html")).body.decode()


async def send_form(person: Person, path: str, fields: dict[str, str]) -> Answer:
    return await person.send(path, urlencode(fields), **{"Content-Type": "application/x-www-form-urlencoded"})


@on_both_databases
async def test_whoever_runs_the_server_saves_the_articles_of_everybodys_cards(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, cards_worker: Worker, worker: Worker
) -> None:
    saved = [
        await ann.save(origin.page("/a", article("Ann's", body=BODY))),
        await bob.save(origin.page("/b", article("Bob's", body=BODY))),
    ]
    await cards_worker.work_off()
    chosen = await saving.kept.read(list_card_only)
    assert [str(media_id) for media_id in chosen] == [item["media_id"] for item in saved]
    for media_id in chosen:
        await saving.kept.write(retry_failed, media_id, now=saving.kept.now())
    await worker.work_off()
    assert all(get_media(saving, item).is_readable for item in saved)
