"""Reading and changing things without a connection: what was kept can be read, what was done arrives once."""

import re
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, Page, Route, expect

from kept.domain.account import User
from kept.storage import tables
from kept.web import offline
from support.builders.demo import PAGES, stock
from support.builders.highlighting import select_text
from support.fixtures.axe import find_faults
from support.fixtures.transactions import writing
from support.fixtures.waiting import until
from support.servers.desk import Desk, sit_down
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "offline reading and changes; everything arrives once")

ALLOW = {"service_workers": "allow"}
CACHED = """async () => {
    const found = [];
    for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys())
        if (name.startsWith("private")) found.push(new URL(request.url).pathname);
    return found;
}"""
IS_KEPT = (
    f"async (wanted) => {{ const held = await ({CACHED})(); return wanted.every((path) => held.includes(path)); }}"
)
LOADED = "selector => [...document.querySelectorAll(selector)].every(image => image.complete && image.naturalWidth > 0)"


async def fill(running: RunningKept, number: int = 4) -> tuple[User, list[UUID]]:
    ann = running.make_user("ann")
    return ann, await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:number])


async def wait_until_kept(page: Page, paths: Iterable[str]) -> None:
    await wait_for(page, IS_KEPT, list(paths))


async def wait_for(page: Page, script: str, arg: object = None) -> None:
    """Playwright's own wait does not wait for what an async function answers."""
    await until(lambda: page.evaluate(script, arg), what=script)


async def sign_in_and_keep(desk: Desk, items: list[UUID]) -> None:
    """The list, the articles and the forms of these items are in the browser."""
    await desk.sign_in("ann")
    paths = [f"/{kind}/{item}" for item in items for kind in ("read", "items")]
    await wait_until_kept(desk.page, ["/", "/add", *paths])


def bar(page: Page, text: str) -> Any:
    return expect(page.locator("#offline-bar")).to_contain_text(text, timeout=20_000)


async def has_images(page: Page, selector: str) -> None:
    await expect(page.locator(selector).first).to_be_visible()
    await page.wait_for_function(LOADED, arg=selector)


async def count_highlights(person: Person) -> int:
    return len((await person.get("/api/v1/highlights")).data)


async def test_airplane_mode(saving: RunningKept, origin: Origin, browser: Browser) -> None:
    ann, items = await fill(saving)
    person = await saving.give_token(ann)
    url = origin.page("/saved-offline", article("Saved offline", "From the plane.", None))
    async with sit_down(browser, saving.address, **ALLOW) as desk:
        page = desk.page
        await sign_in_and_keep(desk, items)
        for item in items[:3]:
            await desk.go_ready(f"/read/{item}")
        await desk.context.set_offline(True)

        await desk.go_ready("/")
        await bar(page, "Offline.")
        await expect(page.locator(".card")).to_have_count(4)
        await has_images(page, ".card-image img")
        for item, known in zip(items[:3], PAGES[:3], strict=True):
            await desk.go_ready(f"/read/{item}")
            await expect(page.get_by_role("heading", level=1)).to_have_text(str(known.title))
            await has_images(page, "#prose img")

        await desk.go_ready(f"/read/{items[0]}")
        await select_text(page, "nobody looks at it", "nobody looks at it")
        await page.keyboard.press("h")
        await bar(page, "waiting to be sent")
        assert await page.evaluate("CSS.highlights.get('waiting').size") == 1
        await page.keyboard.press("t")  # the form of the item, as a page
        await page.get_by_label("Tags").fill("from the reader")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_url(f"{saving.address}/read/{items[0]}")

        await desk.go_ready("/")
        await page.locator(".card").nth(1).get_by_role("link", name="Edit").click()
        await page.get_by_role("dialog").get_by_label("Tags").fill("from the list")
        await page.get_by_role("dialog").get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.locator(".card").nth(2).get_by_role("button", name="Archive").click()
        archived = page.locator(f"#card-{items[2]}").get_by_role("button", name="Archive")
        await expect(archived).to_have_attribute("aria-pressed", "true")
        await page.get_by_label("Link to save").fill(url)
        await page.keyboard.press("Enter")
        await expect(page.locator(".card.waiting")).to_contain_text("saved-offline")
        await desk.go(f"/add?text=Look+at+{url}?shared&title=Shared")
        await expect(page.get_by_label("URL")).to_have_value(f"{url}?shared")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_url(f"{saving.address}/")
        await expect(page.locator(".card.waiting")).to_have_count(2)
        assert len((await person.get("/api/v1/items")).data) == 4

        await page.close()  # what waits is not in the tab
        desk.page = page = await desk.context.new_page()
        await desk.go_ready("/offline")
        for text in ("Save http", "Highlight “nobody looks at it”", "Archive", "from the list", "from the reader"):
            await expect(page.locator(".changes li").filter(has_text=text).first).to_be_visible()
        await desk.context.set_offline(False)
        await expect(page.get_by_text("None.")).to_be_visible(timeout=20_000)
        await expect(page.locator("#offline-bar")).to_be_empty()

        await desk.go_ready("/")
        saved = (await person.get("/api/v1/items")).data
        assert sorted(item["url"] for item in saved if "saved-offline" in item["url"]) == [url, f"{url}?shared"]
        assert len(saved) == 6
        by_id = {item["id"]: item for item in saved}
        assert by_id[str(items[0])]["tags"] == ["from the reader"]
        assert by_id[str(items[1])]["tags"] == ["from the list"]
        assert by_id[str(items[2])]["reading"]["is_archived"] is True
        assert await count_highlights(person) == 1
        await desk.go_ready(f"/read/{items[0]}")
        await expect(page.locator("#prose mark")).to_have_text("nobody looks at it")


async def test_a_change_whose_answer_was_lost_is_made_once_and_one_the_server_refuses_says_why(
    running: RunningKept, browser: Browser
) -> None:
    ann, items = await fill(running, 1)
    person = await running.give_token(ann)
    lost: list[str] = []

    async def lose_answer(route: Route) -> None:
        lost.append((await route.request.all_headers())["idempotency-key"])
        await route.fetch()
        await route.abort()

    async with sit_down(browser, running.address, **ALLOW) as desk:
        page = desk.page
        await sign_in_and_keep(desk, items)
        await desk.go_ready(f"/read/{items[0]}")
        await desk.context.route("**/highlights", lose_answer)
        await select_text(page, "nobody looks at it", "nobody looks at it")
        await page.keyboard.press("h")
        await bar(page, "1 change waiting to be sent.")
        await until(lambda: len(lost) > 1, what="another attempt")
        assert await count_highlights(person) == len(set(lost)) == 1
        await desk.context.unroute_all(behavior="wait")  # an attempt may be on its way
        await page.evaluate("dispatchEvent(new Event('online'))")
        await expect(page.locator("#offline-bar")).to_be_empty(timeout=20_000)
        await expect(page.locator("#prose mark")).to_have_count(1)
        assert await count_highlights(person) == 1

        await desk.context.set_offline(True)
        await page.keyboard.press("s")
        await bar(page, "1 change waiting to be sent.")
        await desk.go_ready("/")
        await page.get_by_label("Link to save").fill("not a link at all")
        await page.keyboard.press("Enter")
        await bar(page, "2 changes waiting to be sent.")
        assert await find_faults(desk.page) == []
        await desk.context.set_offline(False)
        await bar(page, "1 change could not be sent.")
        await desk.go_ready("/account")
        failed = page.locator(".changes li")
        await expect(failed).to_contain_text("Could not be sent:")
        assert await find_faults(desk.page) == []
        await failed.get_by_role("button", name="Try again").click()
        await expect(failed).to_contain_text("Could not be sent:")
        await failed.get_by_role("button", name="Discard").click()
        await expect(page.get_by_text("None.")).to_be_visible()
        [item] = (await person.get("/api/v1/items")).data
        assert item["reading"]["is_favourite"] is True


async def test_changes_wait_for_the_person_who_made_them_and_copies_are_gone_with_the_session(
    running: RunningKept, browser: Browser
) -> None:
    ann, items = await fill(running, 2)
    running.make_user("bob")
    person = await running.give_token(ann)
    async with sit_down(browser, running.address, **ALLOW) as desk:
        page = desk.page
        await sign_in_and_keep(desk, items)
        await desk.context.set_offline(True)
        await page.locator(".card").first.get_by_role("button", name="Favourite").click()
        await bar(page, "1 change waiting")
        with writing(running.kept.database) as tx:
            tx.execute(tables.sessions.delete())
        await desk.context.set_offline(False)
        await bar(page, "Sign in to send 1 change.")

        # signed out and online: nothing of hers is shown; then offline: nothing of hers is left
        await desk.go("/")
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        await wait_for(page, f"async () => (await ({CACHED})()).length === 0")
        await desk.context.set_offline(True)
        await desk.go_ready("/")
        await expect(page.get_by_text("There is no connection to Kept")).to_be_visible()
        assert str(PAGES[0].title) not in await page.content()
        await expect(page.locator(".changes li")).to_have_count(0)
        await desk.context.set_offline(False)
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()  # it loads again by itself

        await desk.sign_in("bob")
        await wait_for(page, f"async () => (await ({CACHED})()).includes('/')")
        await desk.go_ready("/account")
        await expect(page.get_by_text("None.")).to_be_visible()
        assert [item["reading"]["is_favourite"] for item in (await person.get("/api/v1/items")).data] == [False, True]
        await page.get_by_text("Menu").click()
        await page.get_by_role("button", name="Sign out").first.click()
        await page.wait_for_url("**/sign-in")
        await wait_for(page, f"async () => (await ({CACHED})()).length === 0")

        await desk.sign_in("ann")
        await expect(page.locator(".card").first.get_by_role("button", name="Favourite")).to_have_attribute(
            "aria-pressed", "true"
        )
        assert [item["reading"]["is_favourite"] for item in (await person.get("/api/v1/items")).data] == [True, True]


async def test_the_settings_show_what_is_kept_and_remove_it(running: RunningKept, browser: Browser) -> None:
    _, items = await fill(running, 2)
    async with sit_down(browser, running.address, **ALLOW) as desk:
        page = desk.page
        await sign_in_and_keep(desk, items)
        await desk.go_ready("/account")
        size = page.locator(".offline-settings .size")
        await expect(size).to_have_text(re.compile(r"^2 articles, [\d.]+ MB\.$"))
        await page.get_by_role("button", name="Remove offline copies").click()
        await expect(size).to_have_text("0 articles, 0 MB.")
        switch = page.get_by_label("Keep my list and the last 50 articles")
        await switch.click()  # what the worker says of before may still come, and is soon put right
        await expect(switch).not_to_be_checked()
        await desk.go_ready(f"/read/{items[0]}")
        await desk.go_ready("/account")
        await expect(size).to_have_text("0 articles, 0 MB.")
        await expect(switch).not_to_be_checked()
        await switch.click()
        await expect(switch).to_be_checked()

        # a browser without room shows pages as ever, and says so
        quota = await desk.context.new_cdp_session(page)
        await quota.send("Storage.overrideQuotaForOrigin", {"origin": running.address, "quotaSize": 1000})
        await desk.go_ready(f"/read/{items[0]}")
        await expect(page.get_by_role("heading", level=1)).to_have_text(str(PAGES[0].title))
        await desk.go_ready("/account")
        await expect(size).to_contain_text("The browser has no more room")


async def test_a_new_version_of_the_files_replaces_the_old_one(
    running: RunningKept, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(running, 1)
    shells = "async () => (await caches.keys()).filter((name) => name.startsWith('shell')).join()"
    async with sit_down(browser, running.address, **ALLOW) as desk:
        await desk.sign_in("ann")
        await wait_for(desk.page, f"async () => (await ({shells})()) === 'shell {offline.VERSION}'")
        await wait_until_kept(desk.page, ["/"])
        monkeypatch.setattr(offline, "VERSION", "next")
        await desk.go_ready("/")
        await wait_for(desk.page, f"async () => (await ({shells})()) === 'shell next'")
        await desk.page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")
        await desk.context.set_offline(True)
        await desk.go_ready("/")
        await expect(desk.page.locator(".card")).to_have_count(1)


async def test_no_more_articles_are_kept_than_allowed(
    running: RunningKept, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "MAX_ARTICLES", 2)
    _, items = await fill(running, 4)
    async with sit_down(browser, running.address, **ALLOW) as desk:
        await desk.sign_in("ann")
        await wait_until_kept(desk.page, [f"/{kind}/{item}" for item in items[2:] for kind in ("read", "items")])
        await desk.go_ready("/account")
        await expect(desk.page.locator(".offline-settings .size")).to_contain_text("2 articles")
        held = await desk.page.evaluate(CACHED)
        assert {path for path in held if path.startswith("/read/")} == {f"/read/{item}" for item in items[2:]}
        assert sum(path.startswith("/items/") for path in held) == 2
        assert sum(path.startswith("/api/images/") for path in held) == 1  # the other has none


async def test_plain_http_has_no_service_workers_and_the_settings_say_so(
    running: RunningKept, browser: Browser
) -> None:
    await fill(running, 1)
    address = running.address.replace("127.0.0.1", "kept.home.arpa")
    async with sit_down(browser, address, **ALLOW) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/account")
        assert await desk.page.evaluate("isSecureContext") is False
        await expect(desk.page.get_by_text("Over plain HTTP, browsers keep nothing")).to_be_visible()
        await expect(desk.page.get_by_role("button", name="Remove offline copies")).to_be_hidden()
