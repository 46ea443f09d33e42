"""The search box in a real browser: results come while typing, and the URL follows."""

from playwright.async_api import Browser, expect

from support.builders.demo import PAGES, stock
from support.servers.desk import sit_down
from support.servers.serving import RunningKept


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


async def test_a_search_keeps_layout_order_and_bulk_and_tells_how_many_it_found(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.get_by_label("Search this list").type("tag:science")
        await expect(page.locator("#summary")).to_contain_text("2 results")
        await page.get_by_role("button", name="List").click()
        await expect(page.locator("#cards.compact .card")).to_have_count(2)
        await expect(page).to_have_url(f"{running.address}/?q=tag%3Ascience")
        await page.wait_for_selector("html[data-ready]", state="attached")
        await page.get_by_label("Search this list").fill("tag:books")
        await expect(page.locator(".card").first).to_contain_text("المكتبة")
        await page.get_by_role("link", name="Best match first").click()
        await page.get_by_role("link", name="Newest first").click()
        await expect(page).to_have_url(f"{running.address}/?q=tag%3Abooks&sort=oldest")
        await expect(page.locator(".card").first).to_contain_text("祖父の本棚")
        await page.wait_for_selector("html[data-ready]", state="attached")
        await page.get_by_label("Search this list").fill("tag:essay")
        await expect(page.locator("#summary")).to_contain_text("2 results")
        await expect(page.locator(".card").first).to_contain_text("Typesetting")
        await page.locator(".pick").first.click()
        await page.locator("#bulk").get_by_role("button", name="Archive").click()
        await expect(page.locator("#toast")).to_contain_text("1 page archived.")
        await expect(page).to_have_url(f"{running.address}/?sort=oldest&q=tag%3Aessay")


async def test_a_search_tells_what_is_no_operator(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    for scripts in (True, False):
        async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
            page = desk.page
            await desk.sign_in("ann")
            if scripts:
                await desk.go_ready("/")
            box = page.get_by_label("Search this list")
            await box.fill("author:mara is:unred https://example.org before:2026 std::string")
            await box.press("Enter") if not scripts else None
            told = "Not a search operator, so searched as words: author:, is:unred."
            await expect(page.locator("#summary")).to_contain_text(told)
            await box.fill("moss")
            await box.press("Enter") if not scripts else None
            await expect(page.locator("#summary")).to_contain_text("1 result")
            await expect(page.locator("#summary")).not_to_contain_text("operator")
