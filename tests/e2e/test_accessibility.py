"""axe-core over every page, in three themes and at three widths: nothing serious, nothing critical."""

from collections.abc import Callable
from itertools import product

import pytest
from playwright.async_api import Browser, expect

from kept.storage import tables
from support.builders.highlighting import select_text
from support.fixtures.axe import THEMES, WIDTHS, Look, find_faults, find_faults_of_looks
from support.fixtures.tour import Tour, prepare_tour
from support.fixtures.transactions import writing
from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept

LOOKS: list[Look] = list(product(THEMES, WIDTHS))


def choose_look(turn: int) -> list[Look]:
    """One for each page: from one page to the next another, until all were there."""
    return [LOOKS[turn % len(LOOKS)]]


async def find_faults_of_highlights(desk: Desk, path: str, looks: list[Look]) -> dict[str, list[str]]:
    await desk.go_ready(path)
    await select_text(desk.page, "There is a kind", "nobody looks")
    await expect(desk.page.locator("#selection-bar")).to_be_visible()
    bar = await find_faults_of_looks(desk.page, looks)
    await desk.page.locator("#prose mark").first.press("Enter")
    await expect(desk.page.locator("#highlight-box")).to_be_visible()
    return {"selection bar": bar, "highlight box": await find_faults_of_looks(desk.page, looks)}


async def visit_every_page(desk: Desk, tour: Tour, choose: Callable[[int], list[Look]]) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    for turn, (name, path) in enumerate(tour.outside.items()):
        await desk.go(path)
        faults[name] = await find_faults_of_looks(desk.page, choose(turn))
    await desk.sign_in("ann")
    for turn, (name, path) in enumerate(tour.inside.items()):
        await desk.go_ready(path)
        faults[name] = await find_faults_of_looks(desk.page, choose(turn))
    await desk.go_ready("/")
    await desk.page.keyboard.press("?")
    faults["keys"] = await find_faults_of_looks(desk.page, choose(0))
    await desk.go_ready(tour.inside["reader"])
    await desk.page.get_by_text("Aa", exact=True).click()
    faults["type"] = await find_faults_of_looks(desk.page, choose(1))
    return faults | await find_faults_of_highlights(desk, tour.inside["reader"], choose(2))


@pytest.mark.parametrize(
    "choose",
    [
        pytest.param(choose_look, id="each page once"),
        pytest.param(lambda _: LOOKS, id="each page in each theme at each width", marks=pytest.mark.long),
    ],
)
async def test_no_page_has_a_serious_fault_in_any_theme_at_three_widths(
    running: RunningKept, browser: Browser, choose: Callable[[int], list[Look]]
) -> None:
    tour = await prepare_tour(running)
    async with sit_down(browser, running.address, reduced_motion="reduce") as desk:
        faults = await visit_every_page(desk, tour, choose)
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])
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
        faults["bulk"] = await find_faults(page)
        await page.locator("#bulk").get_by_role("button", name="Mark as read").click()
        await page.locator("#toast .notice").wait_for()
        faults["toast"] = await find_faults(page)
        await page.locator(".card").first.get_by_role("link", name="Edit").click()
        await page.locator("#edit-box form").wait_for()
        faults["edit"] = await find_faults(page)
        await desk.go_ready(tour.inside["reader"])
        with writing(running.kept.database) as tx:
            tx.execute(tables.sessions.delete())
        await page.keyboard.press("a")
        await page.get_by_role("dialog", name="Sign in").wait_for()
        faults["sign-in"] = await find_faults(page)
    assert {name: found for name, found in faults.items() if found} == {}
