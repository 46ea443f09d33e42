"""Tags: all of them can be reached, in the order people expect, and each one typed is completed."""

from playwright.async_api import Browser, expect

from support.builders.demo import Page as DemoPage
from support.builders.demo import stock
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

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


async def test_a_note_that_is_saved_leaves_the_tags_of_another_browser(running: RunningKept, browser: Browser) -> None:
    person = await running.make_person("ann")
    assert person.user is not None
    pages = (DemoPage("One", None, "https://example.org/1", tags=("old",)),)
    [item_id] = await stock(running.kept.database, running.kept.blobs, person.user.id, pages)
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await desk.page.keyboard.press("j")
        await desk.page.keyboard.press("t")
        await desk.page.get_by_label("Note").fill("mine")
        await person.patch(f"/api/v1/items/{item_id}", {"tags": ["new"], "title": "Theirs"})
        await desk.page.locator("#edit-box").get_by_role("button", name="Save").click()
        await expect(desk.page.locator("#edit-box")).to_be_hidden()
        item = (await person.get(f"/api/v1/items/{item_id}")).data
        assert (item["note"], item["tags"], item["title"]) == ("mine", ["new"], "Theirs")
