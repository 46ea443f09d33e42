"""Open lists follow what happens elsewhere: another tab, the API, another member."""

import pytest
from playwright.async_api import Browser, Page, expect

from kept.domain.account import Scope, Viewer
from kept.domain.library import Role
from kept.services.libraries.libraries import create_library
from kept.services.libraries.members import add_member
from support.builders.demo import PAGES, stock
from support.servers.desk import sit_down
from support.servers.origin import Origin, article
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "lists follow other tabs, the API and members")

COUNT_NEW_CARDS = """() => {
  window.newCards = 0;
  const count = (changes) => { for (const { addedNodes } of changes) window.newCards += addedNodes.length; };
  new MutationObserver(count).observe(document.querySelector("#cards"), { childList: true });
}"""


async def is_live(page: Page) -> None:
    await expect(page.locator("#cards[data-live]")).to_be_attached()


async def test_a_save_by_the_api_appears_first_in_every_list_it_belongs_to(
    saving: RunningKept, origin: Origin, browser: Browser
) -> None:
    ann = saving.make_user("ann")
    await stock(saving.kept.database, saving.kept.blobs, ann.id, PAGES[:3])
    url = origin.page("/a", article("Saved elsewhere", "From a script.", None))
    async with sit_down(browser, saving.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await is_live(desk.page)
        favourites = await desk.context.new_page()
        await favourites.goto(f"{saving.address}/?view=favourite")
        await is_live(favourites)
        await (await saving.give_token(ann)).save(url)
        await expect(desk.page.locator(".card").first).to_contain_text("Saved elsewhere")
        await expect(desk.page.locator(".card")).to_have_count(4)
        await (await saving.give_token(ann)).patch(
            f"/api/v1/items/{await desk.page.locator('.card').first.get_attribute('data-item')}",
            {"is_favourite": True},
        )
        await expect(favourites.locator(".card").first).to_contain_text("Saved elsewhere")
        await expect(favourites.locator(".card")).to_have_count(2)


async def test_archiving_in_one_tab_takes_the_card_out_of_the_other_and_undo_brings_it_back(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:3])
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await is_live(desk.page)
        other = await desk.context.new_page()
        await other.goto(running.address)
        await is_live(other)
        await other.locator(".card").nth(1).get_by_role("button", name="Archive").click()
        await expect(desk.page.locator(".card")).to_have_count(2)
        await other.get_by_role("button", name="Undo").click()
        await expect(desk.page.locator(".card")).to_have_count(3)
        await expect(desk.page.locator(".card").nth(1)).to_contain_text("How the tide tables")


async def test_what_a_member_saves_and_removes_is_seen_by_the_others(
    saving: RunningKept, origin: Origin, browser: Browser
) -> None:
    ann, bob = saving.make_user("ann"), saving.make_user("bob")
    now = saving.kept.now()
    viewer = Viewer(ann, frozenset(Scope))
    team = await saving.kept.write(create_library, viewer, name="Team", now=now)
    await saving.kept.write(add_member, viewer, team.id, user_name="bob", role=Role.ADMIN, now=now)
    url = origin.page("/b", article("From bob", "For the team.", None))
    async with sit_down(browser, saving.address) as desk:
        await desk.sign_in("ann")
        await desk.go_ready(f"/?library={team.id}")
        await is_live(desk.page)
        person = await saving.give_token(bob)
        saved = await person.save(url, library_id=str(team.id))
        card = desk.page.locator(".card")
        await expect(card).to_contain_text("From bob")
        await expect(card).to_contain_text("added by bob")
        await person.delete(f"/api/v1/items/{saved['id']}")
        await expect(card).to_have_count(0)
        await expect(desk.page.locator("#empty")).to_be_visible()


async def test_a_list_as_the_browser_kept_it_catches_up_with_what_was_done_in_the_reader(
    running: RunningKept, browser: Browser
) -> None:
    ann = running.make_user("ann")
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:3])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await page.locator(".card").first.get_by_role("heading").get_by_role("link").click()
        await page.wait_for_selector("#prose")
        await page.wait_for_selector("html[data-ready]", state="attached")
        await page.keyboard.press("a")
        await expect(page.get_by_text("1 page archived.")).to_be_visible()
        await page.go_back()
        await expect(page.locator(".card")).to_have_count(2)


async def test_a_card_is_replaced_once_by_an_action_and_not_again_by_its_live_update(
    running: RunningKept, browser: Browser
) -> None:
    person = await running.make_person("ann")
    assert person.user is not None
    [item_id] = await stock(running.kept.database, running.kept.blobs, person.user.id, PAGES[:1])
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/")
        await is_live(page)
        await page.evaluate(COUNT_NEW_CARDS)
        async with page.expect_response(lambda response: "/cards?" in response.url):
            await page.get_by_role("button", name="Favourite").click()
        await person.patch(f"/api/v1/items/{item_id}", {"title": "Another title"})
        await expect(page.locator(".card")).to_contain_text("Another title")
        assert await page.evaluate("newCards") == 2
