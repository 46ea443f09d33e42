"""The search box in a real browser: results come while typing, and the URL follows."""

from playwright.async_api import Browser, expect

from support.demo import PAGES, stock
from support.desk import sit_down
from support.serving import RunningKept


async def test_results_come_while_one_types(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/")
        cards = desk.page.locator(".card")
        await expect(cards).to_have_count(len(PAGES))
        await desk.page.keyboard.press("/")
        await desk.page.keyboard.type("mos", delay=10)
        await expect(cards).to_have_count(1)
        await expect(cards).to_contain_text("What moss knows about time")
        await expect(desk.page).to_have_url(f"{running.address}/?q=mos")
        await desk.page.keyboard.type("quito-free-zone", delay=5)
        await expect(desk.page.locator("#empty")).to_contain_text('No results for "mosquito-free-zone"')
        await desk.page.get_by_label("Search this list").fill("")
        await expect(cards).to_have_count(len(PAGES))
