"""Forms: errors stand beside the field they are about, which has the focus; nothing leads to a dead end."""

import asyncio
from datetime import timedelta

import pytest
from playwright.async_api import Browser, Route, expect

from kept.domain.account import Scope, Viewer
from kept.services.accounts.users import offer_set_up
from kept.services.libraries.libraries import create_library
from support.builders.accounts import PASSWORD
from support.builders.demo import PAGES, stock
from support.servers.desk import sit_down
from support.servers.origin import Origin, article
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "form errors stand beside their focused field")


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_errors_of_library_forms_stand_beside_their_fields(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    team = await running.kept.write(create_library, Viewer(ann, frozenset(Scope)), name="Team", now=running.kept.now())
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go("/libraries")
        await page.get_by_label("Name").fill(" ")
        await page.get_by_role("button", name="Create").click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.get_by_label("Name")).to_be_focused()
        await desk.go(f"/libraries/{team.id}")
        await page.get_by_label("Username").fill("nobody-here")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.get_by_label("Username")).to_have_value("nobody-here")
        await expect(page.get_by_label("Username")).to_be_focused()
        await page.get_by_label("Name", exact=True).fill(" ")
        await page.get_by_role("button", name="Rename").click()
        await expect(page.get_by_label("Name", exact=True)).to_be_focused()
        await page.get_by_role("button", name="Leave library").click()
        await expect(page.get_by_role("alert")).to_contain_text("A library needs at least one admin.")
        await expect(page.get_by_role("heading", name="Members")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_an_error_in_an_items_form_keeps_what_was_typed(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:1])
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go(f"/items/{item_id}")
        await page.get_by_label("Tags").fill("x" * 65)
        await page.get_by_label("Note").fill("Typed.")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("alert")).to_contain_text("A tag is 1 to 64 printable characters.")
        await expect(page.get_by_label("Tags")).to_be_focused()
        await expect(page.get_by_label("Note")).to_have_value("Typed.")


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_the_add_box_takes_a_url_without_a_scheme(running: RunningKept, browser: Browser, scripts: bool) -> None:
    running.make_user("ann")
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.sign_in("ann")
        if scripts:
            await desk.go_ready("/")
        await page.get_by_label("Link to save").fill("127.0.0.1/x")
        await page.get_by_role("button", name="Save", exact=True).click()
        card = page.locator(".card[data-item]")
        await expect(card).to_have_count(1)
        await expect(card.locator(".card-meta a[target]")).to_have_attribute("href", "https://127.0.0.1/x")
        await page.get_by_label("Link to save").fill("not a url")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        if scripts:
            await expect(page.get_by_label("Link to save")).to_be_focused()


async def test_several_links_that_are_pasted_are_saved_one_by_one(
    saving: RunningKept, origin: Origin, browser: Browser
) -> None:
    saving.make_user("ann")
    urls = [origin.page(f"/{name}", article(name, "One of several.", None)) for name in ("first", "second")]
    async with sit_down(browser, saving.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.get_by_label("Link to save").fill(f"First: {urls[0]}, bad: http://127.0.0.1:99999/ and {urls[1]}")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.locator(".card[data-item]")).to_have_count(2)
        await expect(page.get_by_role("alert")).to_contain_text("its port is not valid")
        await expect(page.get_by_label("Link to save")).to_have_value("http://127.0.0.1:99999/")
        await desk.go("/add")
        await page.get_by_label("URL").fill(" ".join(urls))
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text("This is more than one link.")


async def test_what_is_typed_while_a_link_is_refused_stays_beside_it(running: RunningKept, browser: Browser) -> None:
    running.make_user("ann")
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        is_typed = asyncio.Event()

        async def answer_later(route: Route) -> None:
            await is_typed.wait()
            await route.continue_()

        await page.route("**/add", answer_later)
        box = page.get_by_label("Link to save")
        await box.fill("http://127.0.0.1:99999/")
        await page.keyboard.press("Enter")
        await box.fill("https://next.example/")
        is_typed.set()
        await expect(box).to_have_value("http://127.0.0.1:99999/ https://next.example/")


async def test_the_bookmarklet_opens_a_small_window_that_closes_itself(
    saving: RunningKept, origin: Origin, browser: Browser
) -> None:
    saving.make_user("ann")
    url = origin.page("/read-me", article("A page one reads", "In a browser.", None))
    async with sit_down(browser, saving.address) as desk:
        await desk.sign_in("ann")
        await desk.go("/help")
        bookmarklet = await desk.page.get_by_role("link", name="Save to Kept").get_attribute("href")
        assert bookmarklet is not None
        reading = await desk.context.new_page()
        await reading.goto(url)
        async with reading.expect_popup() as opened:
            await reading.evaluate(bookmarklet.removeprefix("javascript:"))
        window = await opened.value
        await expect(window.get_by_label("URL")).to_have_value(url)
        await expect(window.get_by_label("Tags")).to_be_focused()
        await window.keyboard.type("later")
        async with window.expect_event("close"):
            await window.keyboard.press("Enter")
            await expect(window.get_by_text("Saved.")).to_be_visible()
        assert reading.url == url
        await desk.go("/?tag=later")
        await expect(desk.page.locator(".card")).to_contain_text("A page one reads")
        desk.strangers.clear()  # the page one reads is on another host


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_the_first_visit_leads_to_set_up_and_an_empty_library_offers_what_to_do(
    running: RunningKept, browser: Browser, scripts: bool
) -> None:
    secret = await running.kept.write(offer_set_up, valid_for=timedelta(hours=1), now=running.kept.now())
    async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
        page = desk.page
        await desk.go("/")
        await expect(page).to_have_url(f"{running.address}/setup")
        await page.get_by_label("Set-up link").fill(f"{running.address}/setup?token={secret}")
        await page.get_by_label("Username").fill("ann")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Create account").click()
        offers = page.locator("#empty")
        await expect(offers).to_contain_text("Paste a link above")
        await expect(offers.get_by_role("link", name="Import")).to_have_attribute("href", "/import")
        await expect(offers.get_by_role("link", name="Save to Kept")).to_be_visible()
        await expect(offers.get_by_role("link", name="from your phone")).to_be_visible()
