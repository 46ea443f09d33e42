"""The browser extension in a real Chromium: connect, save, look up, wait for a server that is away."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from support.fixtures.axe import HEIGHT, WIDTHS, find_faults
from support.fixtures.waiting import until
from support.servers.extension import ExtendedBrowser, open_extended, open_line, prepare_extension
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "the browser extension; its token can only save")

SENTENCE = "Nobody thought of the storm to come that morning."
STORY = f"<article><h1>The harbour</h1>{f'<p>{SENTENCE}</p>' * 12}</article>"


async def saved_urls(person: Person) -> list[str]:
    return [item["url"] for item in (await person.get("/api/v1/items")).data]


async def wait_until_saved(person: Person, url: str) -> None:
    async def is_saved() -> bool:
        return url in await saved_urls(person)

    await until(is_saved, what=f"{url} is saved")


async def wait_for_queue(browser: ExtendedBrowser, *expected: tuple[str, str | None]) -> None:
    """The kinds of what waits, and why it does."""

    seen: list[tuple[str, str | None]] = []

    async def is_so() -> bool:
        seen[:] = [(entry["kind"], entry["problem"]) for entry in await browser.queue()]
        return seen == list(expected)

    try:
        await until(is_so)
    except TimeoutError:
        assert seen == list(expected)


async def select(page: Page, selector: str) -> dict[str, str]:
    await page.evaluate("(selector) => getSelection().selectAllChildren(document.querySelector(selector))", selector)
    return {"menuItemId": "selection", "selectionText": "(as the browser shortens it)", "pageUrl": page.url}


async def check_with_axe(page: Page) -> None:
    """In both colour schemes, at three widths. The popup has a width of its own."""
    for width in WIDTHS if "/options/" in page.url else (WIDTHS[0],):
        await page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert await find_faults(page) == [], f"{scheme}, {width} px"


async def test_a_browser_is_connected_and_saves_pages_links_and_passages(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, tmp_path: Path
) -> None:
    url = origin.page("/story", article("The harbour", "Of a storm.", None, STORY))
    linked = origin.page("/linked", article("Linked"))
    await ann.save("https://example.org/", tags=["harbour", "sea"], wait=False)
    await ann.post("/api/v1/libraries", {"name": "Team"})
    extension = prepare_extension(tmp_path, [saving.address, origin.address])
    async with open_extended(extension, tmp_path / "profile") as browser:
        page = await browser.visit(url)
        popup = await browser.open_popup(page)
        await expect(popup.get_by_role("button", name="Connect")).to_be_focused()
        await check_with_axe(popup)
        await popup.close()

        await browser.sign_in(saving.address, "ann")
        await browser.pair(saving.address)
        [token] = [made for made in (await ann.get("/api/v1/tokens")).data if made["scopes"] == ["save"]]
        assert token["name"].startswith("Extension in Chromium on ")

        popup = await browser.open_popup(page)
        await expect(popup.get_by_role("button", name="Save", exact=True)).to_be_focused()
        await popup.get_by_role("textbox", name="Tags").fill("har")
        await popup.get_by_role("button", name="Add the tag harbour").click()
        await expect(popup.get_by_role("textbox", name="Tags")).to_have_value("harbour, ")
        await popup.get_by_label("Note").fill("for later")
        assert await popup.get_by_label("Library").locator("option").all_text_contents() == ["My library", "Team"]
        await popup.get_by_role("button", name="Save", exact=True).press("Enter")
        await expect(popup.get_by_role("status")).to_have_text("Saved.")
        await expect(popup.locator("#excerpt")).to_have_text("Of a storm.")
        await check_with_axe(popup)
        saved = (await ann.get("/api/v1/items")).data[0]
        assert (saved["url"], saved["tags"], saved["note"]) == (url, ["harbour"], "for later")
        assert await browser.badge(await browser.tab_id(page)) == "✓"
        await popup.close()

        popup = await browser.open_popup(page)
        await expect(popup.get_by_role("status")).to_have_text("Already saved.")
        await popup.get_by_role("textbox", name="Tags").fill("harbour, new")
        await popup.get_by_role("button", name="Save changes").click()
        await expect(popup.get_by_role("status")).to_have_text("Changes saved.")
        async with browser.context.expect_page() as opened:
            await popup.get_by_role("button", name="Open article").click()
        await expect(await opened.value).to_have_url(re.compile(f"/(read|history)/{saved['id']}"))
        await popup.get_by_role("button", name="Remove").click()
        await expect(popup.get_by_role("status")).to_have_text("Removed.")
        assert await saved_urls(ann) == ["https://example.org/"]

        tab = await browser.find_tab(page)
        await browser.fire("contextMenus.onClicked", {"menuItemId": "link", "linkUrl": linked, "pageUrl": url}, tab)
        await wait_until_saved(ann, linked)
        await browser.fire("commands.onCommand", "save-page", tab)
        await wait_until_saved(ann, url)

        await browser.fire("contextMenus.onClicked", await select(page, "article p:nth-of-type(3)"), tab)
        await wait_for_queue(browser, ("highlight", "not_ready"))
        assert await browser.badge() == "1"
        await worker.work_off()
        await browser.send_waiting()
        await wait_for_queue(browser)
        [marked] = (await ann.get("/api/v1/highlights")).data
        assert marked["exact"] == SENTENCE
        assert marked["start"] > 2 * len(SENTENCE)  # the third of twelve that are alike
        assert await browser.badge() == ""


async def test_what_cannot_be_sent_waits_in_the_browser_and_is_sent_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, tmp_path: Path
) -> None:
    url = origin.page("/story", article("The harbour", "Of a storm.", None, STORY))
    other = origin.page("/other", article("Another"))
    async with open_line(saving.address) as line:
        extension = prepare_extension(tmp_path, [line.address, origin.address])
        async with open_extended(extension, tmp_path / "profile") as browser:
            await browser.sign_in(line.address, "ann")
            await browser.pair(line.address)
            page = await browser.visit(url)
            tab = await browser.find_tab(page)
            await browser.fire("commands.onCommand", "save-page", tab)
            await wait_until_saved(ann, url)
            await wait_for_queue(browser)  # its card is filled, too
            await worker.work_off()

            line.loses = b"/highlights"
            await browser.fire("contextMenus.onClicked", await select(page, "article p:nth-of-type(2)"), tab)
            await wait_for_queue(browser, ("highlight", "unreachable"))
            assert line.answers_lost >= 1  # Chromium repeats a request by itself if a connection it used before ends
            line.is_cut = True
            popup = await browser.open_popup(await browser.visit(other))
            await expect(popup.get_by_role("status")).to_have_text("The server can't be reached.")
            await popup.get_by_role("button", name="Save", exact=True).click()
            await expect(popup.get_by_role("status")).to_contain_text("sent as soon as it can be")
            await expect(popup.locator("summary")).to_have_text("Kept: 2 waiting to be sent")
            assert await browser.badge() == "2"
        assert await saved_urls(ann) == [url]
        line.is_cut, line.loses = False, b""
        async with open_extended(extension, tmp_path / "profile") as browser:
            await wait_for_queue(browser)
            assert await saved_urls(ann) == [other, url]
            assert len((await ann.get("/api/v1/highlights")).data) == 1

            [token] = [made for made in (await ann.get("/api/v1/tokens")).data if made["scopes"] == ["save"]]
            await ann.delete(f"/api/v1/tokens/{token['id']}")
            page = await browser.visit(other)
            await browser.fire("commands.onCommand", "save-page", await browser.find_tab(page))
            await wait_for_queue(browser, ("link", "disconnected"))
            assert await browser.badge() == "!"
            await browser.pair(line.address)
            await wait_for_queue(browser)

            options = await browser.open_options()
            await check_with_axe(options)
            await options.get_by_role("button", name="Disconnect").click()
            await expect(options.get_by_role("status")).to_contain_text("Disconnected.")
            assert [made for made in (await ann.get("/api/v1/tokens")).data if made["scopes"] == ["save"]] == []
