"""Tags: all of them can be reached, in the order people expect, and each one typed is completed."""

from playwright.async_api import Browser, expect

from support.demo import Page as DemoPage
from support.demo import stock
from support.desk import sit_down
from support.serving import RunningKept

TAGS = tuple(f"tag {number}" for number in range(80))


async def test_every_tag_is_reached_in_natural_order(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    pages = (
        DemoPage("One", None, "https://example.org/1", tags=(*TAGS, "äpfel")),
        DemoPage("Two", None, "https://example.org/2", tags=("zebra",)),
    )
    await stock(running.kept.database, running.kept.blobs, ann.id, pages)
    for scripts in (True, False):
        async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
            page = desk.page
            await desk.sign_in("ann")
            await page.get_by_role("link", name="All 82 tags").click()
            shown = await page.locator(".all-tags a").all_text_contents()
            names = [text.rpartition(" ")[0] for text in shown]
            assert names == ["äpfel", *TAGS, "zebra"]
            await page.get_by_role("link", name="zebra").click()
            await expect(page.locator(".card")).to_have_count(1)


async def test_each_tag_that_is_typed_is_completed(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    pages = (DemoPage("One", None, "https://example.org/1", tags=("craft", "crab nebula", "essay", *TAGS)),)
    await stock(running.kept.database, running.kept.blobs, ann.id, pages)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.keyboard.press("j")
        await page.keyboard.press("t")
        options = page.locator("#known-tags option")
        for path in (None, "/add"):
            if path:
                await desk.go_ready(path)
            field = page.locator("input[name=tags]").first
            await field.fill("es")
            await expect(options).to_have_count(1)
            await field.fill("essay, cra")
            await expect(options).to_have_count(2)
            values = await options.evaluate_all("all => all.map(one => one.value)")
            assert sorted(values) == ["essay, crab nebula", "essay, craft"]
            await field.fill("essay, craft, tag 79")
            await expect(options).to_have_count(1)
