"""Several pages at once: what was done is said and what was not, in place, by mouse and by keyboard."""

import pytest
from playwright.async_api import Browser, Page, expect

from kept.domain.account import Scope, Viewer
from kept.services.libraries.libraries import create_library
from support.builders.demo import PAGES, stock
from support.builders.demo import Page as DemoPage
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "a bulk action says what it did and did not do")

MANY = tuple(DemoPage(f"Page {number:03}", "Site", f"https://example.org/{number}") for number in range(24))


async def choose_more(page: Page, name: str) -> None:
    await page.locator("#bulk").get_by_text("More", exact=True).click()
    await page.locator("#bulk").get_by_role("button", name=name, exact=True).click()


async def test_a_bulk_action_says_what_it_did_not_do(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        bulk, toast = page.locator("#bulk"), page.locator("#toast")
        for title in ("The patience of workshops", "How the tide tables", "journal.example"):
            await page.locator(".card", has_text=title).locator(".pick").click()
        await bulk.get_by_role("button", name="Add tag").click()
        await expect(toast).to_contain_text("Enter a tag first. Nothing was changed.")
        await expect(bulk.locator(".selected-count")).to_have_text("3 selected")
        await choose_more(page, "Retry")
        await expect(toast).to_contain_text("Retrying 1 page. 2 pages: can't be retried: only pages that failed can.")
        await bulk.get_by_label("Tag").fill("craft")
        await bulk.get_by_role("button", name="Add tag").click()
        await expect(toast).to_contain_text("2 pages tagged. 1 page: tagged so already.")


async def test_without_scripts_a_bulk_action_says_the_same(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:2])
    async with sit_down(browser, running.address, java_script_enabled=False) as desk:
        page = desk.page
        await desk.sign_in("ann")
        for number in range(2):
            await page.locator(".pick").nth(number).click()
        await page.get_by_role("button", name="Add tag").click()
        await expect(page.get_by_text("Enter a tag first. Nothing was changed.")).to_be_visible()
        await page.locator(".pick").first.click()
        await choose_more(page, "Retry")
        await expect(page.get_by_text("1 page: can't be retried")).to_be_visible()
        await page.locator(".pick").first.click()
        await page.get_by_label("Tag to add or remove").fill("x" * 65)
        await page.get_by_role("button", name="Add tag").click()
        await expect(page.get_by_text("A tag has at most 64 characters")).to_be_visible()


async def test_ranges_all_and_none_are_selected_and_the_list_stays_where_it_is(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, MANY)
    async with sit_down(browser, running.address, viewport={"width": 1000, "height": 700}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.evaluate("window.isTheSamePage = true")
        count = page.locator(".selected-count")
        await page.locator(".pick").nth(15).click()
        await page.locator(".pick").nth(18).click(modifiers=["Shift"])
        await expect(count).to_have_text("4 selected")
        place = await page.evaluate("scrollY")
        assert place > 300
        await page.locator("#bulk").get_by_label("Tag").fill("one, two")
        await page.locator("#bulk").get_by_role("button", name="Add tag").click()
        await expect(page.locator(".card", has_text="two")).to_have_count(4)
        await expect(page.locator("#bulk")).to_be_hidden()
        assert abs(await page.evaluate("scrollY") - place) < 150
        await page.locator(".pick").first.click()
        await page.get_by_role("button", name="Select all").click()
        await expect(count).to_have_text("24 selected")
        await page.locator("#bulk").get_by_label("Tag").fill("two")
        await page.locator("#bulk").get_by_role("button", name="Remove tag").click()
        await expect(page.locator("#toast")).to_contain_text("4 pages untagged. 20 pages: not tagged so.")
        await expect(page.locator(".card", has_text="two")).to_have_count(0)
        await page.keyboard.press("j")
        await page.keyboard.press("x")
        await expect(page.locator("#bulk")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#bulk")).to_be_hidden()
        assert await page.evaluate("window.isTheSamePage") is True


async def test_read_move_and_new_copies_for_several_at_once(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    viewer = Viewer(ann, frozenset(Scope))
    await running.kept.write(create_library, viewer, name="Team", now=running.kept.now())
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:4])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")

        async def select_two() -> None:
            for number in range(2):
                await page.locator(".pick").nth(number).click()

        await select_two()
        await choose_more(page, "Mark as read")
        await expect(page.locator(".card.read")).to_have_count(2)
        await select_two()
        await choose_more(page, "Save new copies")
        await expect(page.locator("#toast")).to_contain_text("Saving a new copy of 2 pages.")
        await page.locator("#bulk").get_by_text("More", exact=True).click()
        await page.locator("#bulk-library").select_option("Team")
        await page.locator("#bulk").get_by_role("button", name="Move", exact=True).click()
        await expect(page.locator("#toast")).to_contain_text("2 pages moved.")
        await page.get_by_role("link", name="Team").click()
        await expect(page.locator(".card")).to_have_count(2)


async def test_a_page_is_edited_in_place(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, MANY)
    async with sit_down(browser, running.address, viewport={"width": 1000, "height": 700}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        card = page.locator(".card", has_text="Page 020")
        await card.get_by_role("link", name="Edit").click()
        box = page.get_by_role("dialog")
        await expect(box.get_by_label("Tags")).to_be_focused()
        await box.get_by_label("Tags").fill("x" * 65)
        await box.get_by_label("Note").fill("Nothing typed is lost.")
        await box.get_by_role("button", name="Save").click()
        await expect(box.get_by_role("alert")).to_contain_text("A tag is 1 to 64 printable characters.")
        await expect(box.get_by_label("Tags")).to_be_focused()
        await expect(box.get_by_label("Note")).to_have_value("Nothing typed is lost.")
        await box.get_by_label("Tags").fill("short")
        await box.get_by_label("Custom title").fill("Page 020, renamed")
        place = await page.evaluate("scrollY")
        await box.get_by_role("button", name="Save").click()
        await expect(page.locator(".card", has_text="Page 020, renamed").locator(".tags")).to_contain_text("short")
        assert abs(await page.evaluate("scrollY") - place) < 10
