"""Pages that were saved before: archived ones come back, failed ones are tried again before one's eyes."""

from uuid import UUID

import pytest
from playwright.async_api import Browser, expect
from sqlalchemy import select

from kept.domain.item import ReadingState
from kept.storage import events, tables
from support.builders.demo import ESSAY, PAGES, finish, stock
from support.builders.demo import Page as DemoPage
from support.fixtures.transactions import writing
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

ARCHIVED = DemoPage("An archived page", "Site", "https://example.org/archived", reading=ReadingState(is_archived=True))
FAILED = DemoPage("A failed page", "Site", "https://example.org/failed", failure=("E_FETCH_FAILED", "It failed."))


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_an_archived_link_saved_again_is_unarchived_and_first(
    saving: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = saving.make_user("ann")
    await stock(saving.kept.database, saving.kept.blobs, ann.id, (*PAGES[:2], ARCHIVED))
    with writing(saving.kept.database) as tx:
        media_id = tx.execute(select(tables.media.c.id).where(tables.media.c.title == ARCHIVED.title)).scalar_one()
        tx.execute(tables.url_aliases.insert().values(url=ARCHIVED.url, media_id=media_id))
    async with sit_down(browser, saving.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        if scripts:
            await desk.go_ready("/")
        await expect(page.locator(".card")).to_have_count(2)
        await page.get_by_label("Link to save").fill(ARCHIVED.url)
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved before and archived. It is back at the top of your list.")).to_be_visible()
        await expect(page.locator(".card")).to_have_count(3)
        await expect(page.locator(".card").first).to_contain_text("An archived page")
        await desk.go("/")
        await expect(page.locator(".card").first).to_contain_text("An archived page")


def end_retry(running: RunningKept, item_id: UUID, page: DemoPage) -> None:
    """What a worker does with the job of a retry."""
    with writing(running.kept.database) as tx:
        media_id = tx.execute(select(tables.items.c.media_id).where(tables.items.c.id == item_id)).scalar_one()
        finish(tx, media_id, page, running.kept.now())
        events.publish_event(tx, media_id, "article", running.kept.now())


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_retry_shows_its_progress_and_its_end(running: RunningKept, browser: Browser, scripts: bool) -> None:
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, (FAILED,))
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go(f"/history/{item_id}")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("Saving the article…")).to_be_visible()
        await expect(page.get_by_role("progressbar")).to_be_visible()
        end_retry(running, item_id, DemoPage(FAILED.title, "Site", FAILED.url, html=ESSAY))
        await expect(page.get_by_role("link", name="Read", exact=True)).to_be_visible(timeout=15_000)
        await expect(page.get_by_role("progressbar")).to_have_count(0)


async def test_a_card_that_cannot_be_read_leads_to_the_page_about_it(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, (FAILED, *PAGES[8:9]))
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        for title, said in (("A failed page", "It failed."), ("Letters from a lighthouse", "Waiting to be saved")):
            await desk.go_ready("/?sort=oldest")
            await page.locator(".card", has_text=title).get_by_role("heading").get_by_role("link").click()
            await expect(page.get_by_text(said).first).to_be_visible()
            await page.get_by_role("link", name="Back to list").click()
            await expect(page).to_have_url(f"{running.address}/?sort=oldest")
