"""axe-core over every page, in both colour schemes: nothing serious, nothing critical."""

import pytest
from playwright.async_api import Browser, expect

from kept.storage import tables
from support.axe import find_faults
from support.desk import Desk, sit_down
from support.highlighting import select_text
from support.serving import RunningKept
from support.tour import prepare_tour
from support.transactions import writing


async def find_faults_of_highlights(desk: Desk, path: str) -> dict[str, list[str]]:
    await desk.go_ready(path)
    await select_text(desk.page, "There is a kind", "nobody looks")
    await expect(desk.page.locator("#selection-bar")).to_be_visible()
    bar = await find_faults(desk)
    await desk.page.locator("#prose mark").first.press("Enter")
    await expect(desk.page.locator("#highlight-box")).to_be_visible()
    return {"selection bar": bar, "highlight box": await find_faults(desk)}


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_page_has_a_serious_fault(running: RunningKept, browser: Browser, theme: str) -> None:
    tour = await prepare_tour(running)
    faults: dict[str, list[str]] = {}
    async with sit_down(browser, running.address, color_scheme=theme, reduced_motion="reduce") as desk:
        for name, path in tour.outside.items():
            await desk.go(path)
            faults[name] = await find_faults(desk)
        await desk.sign_in("ann")
        for name, path in tour.inside.items():
            await desk.go_ready(path)
            faults[name] = await find_faults(desk)
        await desk.go_ready("/")
        await desk.page.keyboard.press("?")
        faults["keys"] = await find_faults(desk)
        await desk.go_ready(tour.inside["reader"])
        await desk.page.get_by_text("Aa", exact=True).click()
        faults["type"] = await find_faults(desk)
        faults |= await find_faults_of_highlights(desk, tour.inside["reader"])
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("width", [390, 1280])
async def test_neither_has_what_opens_over_a_page(running: RunningKept, browser: Browser, width: int) -> None:
    tour = await prepare_tour(running)
    faults: dict[str, list[str]] = {}
    viewport = {"width": width, "height": 844}
    async with sit_down(browser, running.address, viewport=viewport, reduced_motion="reduce") as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.locator(".pick").first.click()
        await page.locator("#bulk").get_by_text("More", exact=True).click()
        faults["bulk"] = await find_faults(desk)
        await page.locator("#bulk").get_by_role("button", name="Mark as read").click()
        await page.locator("#toast .notice").wait_for()
        faults["toast"] = await find_faults(desk)
        await page.locator(".card").first.get_by_role("link", name="Edit").click()
        await page.locator("#edit-box form").wait_for()
        faults["edit"] = await find_faults(desk)
        await desk.go_ready(tour.inside["reader"])
        with writing(running.kept.database) as tx:
            tx.execute(tables.sessions.delete())
        await page.keyboard.press("a")
        await page.get_by_role("dialog", name="Sign in").wait_for()
        faults["sign-in"] = await find_faults(desk)
    assert {name: found for name, found in faults.items() if found} == {}


async def test_sepia_is_as_readable(running: RunningKept, browser: Browser) -> None:
    tour = await prepare_tour(running)
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/account")
        async with desk.page.expect_response("**/preferences"):
            await desk.page.get_by_label("Sepia").check()
        for name in ("library", "reader", "failure", "highlights", "highlight"):
            await desk.go_ready(tour.inside[name])
            assert await find_faults(desk) == [], name
        assert not any((await find_faults_of_highlights(desk, tour.inside["reader"])).values())
