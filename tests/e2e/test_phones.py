"""On a phone: little of the screen is taken from the list, fingers find every control, cards can be swiped."""

from typing import Any

import pytest
from playwright.async_api import Browser, CDPSession, Page, expect

from kept.domain.account import Scope, Viewer
from kept.services.accounts.tokens import create_token
from kept.services.items.changes import ItemChange, change_item
from kept.services.items.removal import remove_items
from kept.services.libraries.libraries import create_library
from support.builders.demo import PAGES, stock
from support.fixtures.tour import prepare_tour
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "contents, zoom, reading aloud, fonts, touch controls")

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
# WCAG 2.5.5: 44 px, but for links within a line of text and what has a label that is large enough.
SMALL_TARGETS = """() => {
  const isShown = (target) => target.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const isInText = (target) => target.matches('a, button.plain') && getComputedStyle(target).display === 'inline'
    && target.closest('p, li, h1, h2, h3, td, th, dd, .prose');
  const small = [];
  for (const target of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
    if (!isShown(target) || isInText(target) || target.closest('.visually-hidden, .skip')) continue;
    const hit = target.matches('[type=checkbox], [type=radio]') ? target.closest('label') ?? target : target;
    const { width, height } = hit.getBoundingClientRect();
    if (width && Math.min(width, height) < 43.5) small.push(`${target.outerHTML.slice(0, 90)} ${width}x${height}`);
  }
  return small;
}"""
MAIN_PAGES = ("library", "library-search", "reader", "highlights", "history", "statistics", "account", "add", "queue")


async def test_controls_are_large_enough_for_fingers_and_leave_room_for_the_list(
    running: RunningKept, browser: Browser
) -> None:
    tour = await prepare_tour(running)
    async with sit_down(browser, running.address, **PHONE) as desk:
        page = desk.page
        await desk.sign_in("ann")
        small: dict[str, list[str]] = {}
        for name in MAIN_PAGES:
            await desk.go_ready(tour.inside[name])
            if found := await page.evaluate(SMALL_TARGETS):
                small[name] = found
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390, name
        assert small == {}
        await desk.go_ready("/")
        first = await page.locator(".card").first.bounding_box()
        assert first is not None
        assert first["y"] <= 844 / 5
        await desk.go_ready(tour.inside["reader"])
        bar = await page.locator(".reader-bar").bounding_box()
        assert bar is not None
        assert bar["height"] <= 844 / 5


async def test_long_words_of_people_do_not_make_a_page_wider_than_the_screen(
    running: RunningKept, browser: Browser
) -> None:
    ann, long = running.make_user("a" * 60, is_admin=True), "w" * 150
    viewer, database = Viewer(ann, frozenset(Scope)), running.kept.database
    shown, removed = await stock(database, running.kept.blobs, ann.id, PAGES[:2])
    words = ItemChange({"title": long, "excerpt": long, "note": long}, tags=("t" * 64,))
    for item_id in (shown, removed):
        await database.write(change_item, viewer, item_id, words, now=running.kept.now())
    await database.write(remove_items, viewer, [removed], now=running.kept.now())
    library = await database.write(create_library, viewer, name=long, now=running.kept.now())
    await database.write(create_token, viewer, name=long, scopes=frozenset({Scope.READ}), now=running.kept.now())
    paths = (f"/read/{shown}", f"/items/{shown}", f"/history/{shown}", f"/?tag={'t' * 64}", f"/?library={library.id}")
    async with sit_down(browser, running.address, **PHONE) as desk:
        await desk.sign_in(ann.name)
        for path in ("/", *paths, f"/libraries/{library.id}", "/libraries", "/tokens", "/users", "/removed", "/tags"):
            await desk.go(path)
            await desk.page.locator("details").evaluate_all("all => all.forEach((drawer) => { drawer.open = true })")
            assert await desk.page.evaluate("document.documentElement.scrollWidth") <= 390, path


async def swipe(touch: CDPSession, page: Page, title: str, by: tuple[int, int]) -> None:
    box = await page.locator(".card", has_text=title).locator("h2").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        point = {"x": x + by[0] * step / 10, "y": y + by[1] * step / 10}
        await touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def test_a_card_is_archived_by_a_swipe_to_the_left_and_a_favourite_by_one_to_the_right(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    async with sit_down(browser, running.address, **PHONE) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        touch = await desk.context.new_cdp_session(page)
        title = "The patience of workshops"
        card = page.locator(".card", has_text=title)
        await swipe(touch, page, title, (150, 10))
        await expect(card.get_by_role("button", name="Favourite")).to_have_attribute("aria-pressed", "true")
        await swipe(touch, page, title, (-40, 0))  # not far enough
        await swipe(touch, page, title, (10, -300))
        await page.wait_for_function("scrollY > 0")
        await page.evaluate("scrollTo(0, 0)")
        await expect(card).to_be_visible()
        await swipe(touch, page, title, (-150, 10))
        await expect(card).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await expect(card).to_be_visible()
        assert page.url == f"{running.address}/"
