"""Every action can be undone in place; what was removed stays for thirty days on a page of its own."""

import pytest
from playwright.async_api import Browser, expect

from support.builders.demo import PAGES, stock
from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "every action can be undone; removed pages stay for thirty days")

TITLE = "How the tide tables were computed by brass"


async def open_list(desk: Desk, scripts: bool, path: str = "/") -> None:
    await (desk.go_ready(path) if scripts else desk.go(path))


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize(("button", "said"), [("Archive", "1 page archived."), ("Remove", "1 page removed.")])
async def test_archiving_and_removing_are_undone_and_the_card_is_where_it_was(
    running: RunningKept, browser: Browser, scripts: bool, button: str, said: str
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:4])
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await open_list(desk, scripts)
        cards = page.locator(".card")
        if scripts:
            await page.evaluate("window.isTheSamePage = true")
        await cards.nth(1).get_by_role("button", name=button).click()
        await expect(cards).to_have_count(3)
        await expect(page.get_by_text(said)).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(cards).to_have_count(4)
        await expect(cards.nth(1)).to_contain_text(TITLE)
        if scripts:
            assert await page.evaluate("window.isTheSamePage") is True


async def test_an_undo_stays_on_offer_until_its_message_is_closed(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:4])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await page.clock.install()
        await desk.sign_in("ann")
        await open_list(desk, scripts=True)
        await page.locator(".card").nth(1).get_by_role("button", name="Archive").click()
        await expect(page.get_by_role("button", name="Undo")).to_be_visible()
        await page.clock.run_for(60_000)
        await expect(page.get_by_role("button", name="Undo")).to_be_visible()
        await page.keyboard.press("z")
        await expect(page.locator(".card")).to_have_count(4)
        await page.get_by_role("button", name="Close message").click()
        await expect(page.locator("#toast")).to_be_empty()


async def test_changes_of_several_pages_are_undone_exactly(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:4])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await open_list(desk, scripts=True)
        stars = page.locator('.star[aria-pressed="true"]')
        await expect(stars).to_have_count(1)
        for number in range(3):
            await page.locator(".pick").nth(number).click()
        await page.get_by_text("More", exact=True).click()
        await page.get_by_role("button", name="Add to favourites").click()
        await expect(stars).to_have_count(3)
        await expect(page.get_by_text("2 pages added to favourites. 1 page: a favourite already.")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(stars).to_have_count(1)
        await expect(page.locator(".card").nth(1).locator('.star[aria-pressed="true"]')).to_have_count(1)


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_what_was_removed_is_on_a_page_of_its_own_and_comes_back_from_there(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:3])
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await open_list(desk, scripts)
        for number in (2, 1):
            await page.locator(".card").first.get_by_role("button", name="Remove").click()
            await expect(page.locator(".card")).to_have_count(number)
        await page.get_by_text("Menu").click()
        await page.get_by_role("link", name="Recently removed").click()
        await expect(page.locator(".rows > li")).to_have_count(2)
        await page.get_by_role("button", name=f"Delete for good {TITLE}").click()
        await expect(page.get_by_text("1 page deleted for good.")).to_be_visible()
        await page.get_by_role("button", name="Restore The patience of workshops").click()
        await expect(page.get_by_text("1 page restored.")).to_be_visible()
        await expect(page.get_by_text("Nothing was removed.")).to_be_visible()
        await desk.go("/")
        await expect(page.locator(".card")).to_have_count(2)
        await expect(page.locator(".card").first).to_contain_text("The patience of workshops")
