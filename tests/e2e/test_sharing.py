"""Shared libraries: reached from the library itself; who added what; pages move between libraries."""

from playwright.async_api import Browser, expect

from kept.domain.account import Scope, Viewer
from kept.domain.library import Role
from kept.services.libraries.libraries import create_library
from kept.services.libraries.members import add_member
from support.builders.demo import PAGES, stock
from support.servers.desk import sit_down
from support.servers.serving import RunningKept


async def test_sharing_is_reached_from_the_library_and_a_page_moves_there(
    running: RunningKept, browser: Browser
) -> None:
    ann, _ = running.make_user("ann"), running.make_user("bob")
    viewer, now = Viewer(ann, frozenset(Scope)), running.kept.now()
    team = await running.kept.write(create_library, viewer, name="Team", now=now)
    await running.kept.write(add_member, viewer, team.id, user_name="bob", role=Role.MEMBER, now=now)
    await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:2])
    for scripts in (True, False):
        async with sit_down(browser, running.address, java_script_enabled=scripts) as desk:
            page = desk.page
            await desk.sign_in("ann")
            await (desk.go_ready("/") if scripts else desk.go("/"))
            await page.get_by_role("link", name="Share").click()
            await expect(page.get_by_role("heading", name="New library")).to_be_visible()
            await desk.go(f"/?library={team.id}")
            await page.get_by_role("link", name="Members").click()
            await expect(page.get_by_role("list")).to_contain_text("bob")
            await (desk.go_ready("/") if scripts else desk.go("/"))
            title = PAGES[0 if scripts else 1].title or ""
            await page.locator(".card", has_text=title).get_by_role("link", name="Edit").click()
            await page.locator(".item-form select").select_option("Team")
            await page.locator(".item-form").get_by_role("button", name="Save").click()
            await expect(page.get_by_text("Changes saved.")).to_be_visible()
            await desk.go(f"/?library={team.id}")
            await expect(page.locator(".card", has_text=title)).to_have_count(1)
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("bob")
        await desk.page.get_by_role("link", name="Team").click()
        await expect(desk.page.locator(".card").first).to_contain_text("added by ann")
