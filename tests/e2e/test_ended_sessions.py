"""A session that has ended: nobody is thrown out, nothing typed is lost, one signs in where one is."""

import pytest
from playwright.async_api import Browser, Page, expect

from kept.storage import tables
from support.builders.accounts import PASSWORD
from support.builders.demo import PAGES, stock
from support.fixtures.transactions import writing
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "an ended session loses nothing that was typed")


def end_sessions(running: RunningKept) -> None:
    with writing(running.kept.database) as tx:
        tx.execute(tables.sessions.delete())


async def sign_in_here(page: Page) -> None:
    box = page.get_by_role("dialog", name="Sign in")
    await expect(box.get_by_label("Username")).to_have_value("ann")
    await expect(box.get_by_label("Password")).to_be_focused()
    await box.get_by_label("Password").fill("not my password")
    await box.get_by_role("button", name="Sign in").click()
    await expect(box.get_by_role("alert")).to_be_visible()
    await box.get_by_label("Password").fill(PASSWORD)
    await box.get_by_role("button", name="Sign in").click()
    await expect(box).to_have_count(0)


async def test_what_one_was_doing_in_a_list_goes_on_after_signing_in_there(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:3])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.locator(".card").first.get_by_role("link", name="Edit").click()
        await page.get_by_role("dialog").get_by_label("Note").fill("A long note.")
        end_sessions(running)
        await page.get_by_role("dialog").get_by_role("button", name="Save").click()
        await sign_in_here(page)
        await expect(page.get_by_text("Changes saved.")).to_be_visible()
        await page.locator(".card").first.get_by_role("link", name="Edit").click()
        await expect(page.get_by_role("dialog").get_by_label("Note")).to_have_value("A long note.")


async def test_a_reader_goes_on_reading_and_is_asked_only_when_something_must_be_saved(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:1])
    async with sit_down(browser, running.address, viewport={"width": 800, "height": 600}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready(f"/read/{item_id}")
        end_sessions(running)
        async with page.expect_response(f"**/api/v1/items/{item_id}") as answered:
            await page.get_by_role("heading", name="A table of tables").scroll_into_view_if_needed()
        assert (await answered.value).status == 401
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_role("heading", name="A table of tables")).to_be_visible()
        await page.keyboard.press("s")
        await sign_in_here(page)
        await expect(page.locator(".reader-bar .star")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_form_sent_too_late_is_kept_until_one_has_signed_in(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:1])
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go(f"/items/{item_id}")
        await page.get_by_label("Note").fill('A "long" <note>\nof two lines.')
        await page.get_by_label("Tags").fill("one, two")
        end_sessions(running)
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("what you typed is kept")).to_be_visible()
        for password in ("wrong", PASSWORD):
            await page.get_by_label("Username").fill("ann")
            await page.get_by_label("Password").fill(password)
            await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_text("Changes saved.")).to_be_visible()
        await desk.go(f"/items/{item_id}")
        await expect(page.get_by_label("Note")).to_have_value('A "long" <note>\nof two lines.')
        await expect(page.get_by_label("Tags")).to_have_value("one, two")
