"""From a list into the reader and back: the list stays what it was, and what comes next is what it shows next."""

import pytest
from playwright.async_api import Browser, Page, expect

from support.builders.demo import ESSAY, PAGES, stock
from support.builders.demo import Page as DemoPage
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "back and next keep to the list an article was opened from")

MANY = tuple(
    DemoPage(
        f"Page {number:03} of the long list",
        "Site",
        f"https://example.org/{number}",
        tags=("even",) if number % 2 == 0 else ("odd",),
        html=ESSAY,
    )
    for number in range(60)
)


async def open_article(page: Page, title: str) -> None:
    await page.locator(".card", has_text=title).get_by_role("heading").get_by_role("link").click()
    await expect(page.get_by_role("heading", name=title)).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
async def test_back_leads_to_the_list_with_its_tag_and_order_and_next_goes_along_it(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, MANY)
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go("/?tag=even&sort=oldest")
        await open_article(page, "Page 054")
        await page.get_by_role("navigation", name="Other articles").get_by_role("link", name="Next").click()
        await expect(page.get_by_role("heading", name="Page 052")).to_be_visible()
        await page.get_by_role("navigation", name="Other articles").get_by_role("link", name="Previous").click()
        await expect(page.get_by_role("heading", name="Page 054")).to_be_visible()
        await page.get_by_role("link", name="Back to list").click()
        await expect(page).to_have_url(f"{running.address}/?tag=even&sort=oldest")


async def test_the_next_article_of_a_search_is_its_next_result(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/?q=tag:science")
        await expect(page.locator(".card")).to_have_count(2)
        await open_article(page, "Bread, and the weather inside it")
        await page.wait_for_selector("html[data-ready]", state="attached")
        await page.keyboard.press("j")
        await expect(page.get_by_role("heading", name="What moss knows about time")).to_be_visible()
        await expect(page.get_by_role("link", name="Next")).to_have_count(0)
        await page.wait_for_selector("html[data-ready]", state="attached")
        await page.keyboard.press("u")
        await expect(page).to_have_url(f"{running.address}/?q=tag%3Ascience")


@pytest.mark.parametrize("way", ["u", "back"])
async def test_one_comes_back_to_the_same_place_many_pages_down(
    running: RunningKept, browser: Browser, way: str
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, MANY)
    async with sit_down(browser, running.address, viewport={"width": 800, "height": 600}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        card = page.locator(".card", has_text="Page 057")
        await page.wait_for_function(  # by script: the scroll of a key goes on for a while
            "() => { scrollTo(0, document.body.scrollHeight); return document.querySelector('.card:nth-of-type(60)'); }"
        )
        await card.evaluate("card => card.scrollIntoView({block: 'center'})")
        before = await card.bounding_box()
        await open_article(page, "Page 057")
        await page.wait_for_selector("html[data-ready]", state="attached")
        if way == "u":
            await page.keyboard.press("u")
        else:
            await page.go_back()
        await page.wait_for_selector("html[data-ready]", state="attached")
        await expect(card).to_be_in_viewport()
        after = await card.bounding_box()
        assert before is not None
        assert after is not None
        assert abs(before["y"] - after["y"]) < 40
        if way == "u":
            await expect(card.get_by_role("heading").get_by_role("link")).to_be_focused()


@pytest.mark.parametrize("scripts", [True, False])
async def test_archiving_in_the_reader_says_so_can_be_undone_and_leads_on(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:3])
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await open_article(page, "The patience of workshops")
        if scripts:
            await page.wait_for_selector("html[data-ready]", state="attached")
        bar = page.get_by_role("navigation", name="Article", exact=True)
        await bar.get_by_role("button", name="Archive").click()
        await expect(page.get_by_text("1 page archived.")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_text("Undone for 1 page.")).to_be_visible()
        await expect(bar.get_by_role("button", name="Archive")).to_have_attribute("aria-pressed", "false")
        await page.locator(".article-footer").get_by_role("button", name="Archive").click()
        await expect(page.get_by_text("1 page archived.")).to_be_visible()
        await expect(bar.get_by_role("button", name="Archive")).to_have_attribute("aria-pressed", "true")
        await page.get_by_role("link", name="Next article").click()
        await expect(page.get_by_role("heading", name="How the tide tables")).to_be_visible()


async def test_an_article_opens_from_a_list_that_is_no_longer_there(running: RunningKept, browser: Browser) -> None:
    ann = running.make_user("ann")
    [item_id, *_] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:2])
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        for gone in (
            "/?library=0198c0de-0000-7000-8000-000000000000",
            "//evil.example/",
            "/history/1",
            "/?" + "q=a&" * 500,
        ):
            await desk.page.goto(f"{running.address}/read/{item_id}?list={gone.replace('&', '%26')}")
            await expect(desk.page.get_by_role("heading", name="The patience of workshops")).to_be_visible()
            up = await desk.page.locator("#up").get_attribute("href")
            assert up is not None
            assert up == "/" or up.startswith("/?")
