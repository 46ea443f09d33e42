"""A card that failed is made good by whatever succeeds later: a retry, or somebody else's save (000 FR-014)."""

from datetime import timedelta

import pytest

from kept.domain.job import Queue
from support.builders.articles import BODY, get_media, list_history
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("000", "FR-014", "US2.2")

LATER = timedelta(minutes=15)


@pytest.fixture
async def failed(saving: RunningKept, ann: Person, origin: Origin, worker: Worker) -> dict[str, str]:
    """An item of Ann's whose page and card failed."""
    item: dict[str, str] = await ann.save(origin.page("/a", "down", status=500))
    await worker.work_off(ahead=LATER)
    found = get_media(saving, item)
    assert (found.processing_status, found.enrichment_status) == ("failed", "failed")
    assert found.enrichment_error
    return item


@on_both_databases
async def test_a_retry_that_succeeds_makes_the_card_good(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, failed: dict[str, str]
) -> None:
    origin.page("/a", article("Up again", body=BODY))
    assert (await ann.post(f"/api/v1/media/{failed['media_id']}/retry")).status < 300
    await worker.work_off(ahead=LATER)
    found = get_media(saving, failed)
    assert (found.is_readable, found.title) == (True, "Up again")
    assert (found.enrichment_status, found.enrichment_error, found.failure_code) == ("succeeded", None, None)
    assert found.enriched_at is not None
    assert list_history(saving, failed)[-1].to_state == "succeeded"


@on_both_databases
async def test_another_persons_save_that_succeeds_makes_the_card_good(
    saving: RunningKept, bob: Person, origin: Origin, worker: Worker, failed: dict[str, str]
) -> None:
    origin.page("/a", article("Up again", body=BODY))
    await bob.save(origin.url("/a"))
    await worker.work_off(ahead=LATER)
    found = get_media(saving, failed)
    assert (found.is_readable, found.enrichment_status, found.enrichment_error) == (True, "succeeded", None)


async def test_a_save_that_leads_to_the_failed_page_by_a_redirect_makes_it_good_too(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, worker: Worker
) -> None:
    first = await ann.save(origin.page("/a", article(None, None, None, "<p>Hi.</p>")))
    await worker.work_off(ahead=LATER)
    assert get_media(saving, first).processing_status == "failed"
    origin.page("/a", article("Up again", body=BODY))
    second = await bob.save(origin.redirect("/short", "/a"))
    assert second["media_id"] == first["media_id"]
    await worker.work_off(ahead=LATER)
    found = get_media(saving, first)
    assert (found.is_readable, found.title, found.enrichment_status) == (True, "Up again", "succeeded")


async def test_a_retry_that_finds_no_article_but_a_title_makes_the_card_good(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, failed: dict[str, str]
) -> None:
    origin.page("/a", article("A title", None, None, "<p>Hi.</p>"))
    await ann.post(f"/api/v1/media/{failed['media_id']}/retry")
    await worker.work_off(ahead=LATER)
    found = get_media(saving, failed)
    assert (found.processing_status, found.title) == ("failed", "A title")
    assert (found.enrichment_status, found.enrichment_error) == ("succeeded", None)


async def test_a_retry_that_fails_again_leaves_the_card_failed_and_says_so_once(
    saving: RunningKept, ann: Person, worker: Worker, failed: dict[str, str]
) -> None:
    before = [line for line in list_history(saving, failed) if line.lifecycle == "enrichment"]
    await ann.post(f"/api/v1/media/{failed['media_id']}/retry")
    await worker.work_off(ahead=LATER)
    found = get_media(saving, failed)
    after = [line for line in list_history(saving, failed) if line.lifecycle == "enrichment"]
    assert found.enrichment_status == "failed"
    assert [line.to_state for line in after[len(before) :]] == ["pending", "failed"]


async def test_while_a_browser_is_awaited_a_failed_card_is_pending_again(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, failed: dict[str, str]
) -> None:
    origin.page("/a", article("Up again", image=None, body=BODY))
    await ann.post(f"/api/v1/media/{failed['media_id']}/retry")
    await worker.with_browser_elsewhere().work_off(Queue.INGEST, ahead=LATER)
    found = get_media(saving, failed)
    assert (found.is_readable, found.enrichment_status, found.enrichment_error) == (True, "pending", None)
    assert worker.count_jobs() == {"render": 1}
