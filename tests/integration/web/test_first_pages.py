"""Set-up, sign-in and sign-out in a real browser, on plain HTTP under a name of a home network."""

from datetime import timedelta
from urllib.parse import urlsplit

from playwright.async_api import Page, expect
from pytest_httpserver import HTTPServer

from kept.services.accounts.users import offer_set_up
from support.builders.accounts import PASSWORD
from support.servers.chromium import open_chromium
from support.servers.serving import RunningKept


def home_address(running: RunningKept) -> str:
    """Not localhost, not HTTPS: here browsers send no Sec-Fetch-Site, and the Origin header has to do."""
    return f"http://kept.home.arpa:{urlsplit(running.address).port}"


async def sign_in(page: Page, address: str) -> None:
    await page.goto(f"{address}/sign-in")
    await page.get_by_label("Name").fill("ann")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()


async def test_a_newcomer_sets_up_signs_out_and_in_again(running: RunningKept) -> None:
    secret = await running.kept.write(offer_set_up, valid_for=timedelta(hours=1), now=running.kept.now())
    address = home_address(running)
    async with open_chromium() as browser:
        page = await browser.new_page()
        await page.goto(f"{address}/setup?token={secret}")
        await page.get_by_label("Name").fill("ann")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Create account").click()
        await expect(page.get_by_role("heading", name="My library")).to_be_visible()
        await page.get_by_text("Menu").click()
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        await sign_in(page, address)
        await expect(page.get_by_role("heading", name="My library")).to_be_visible()


async def test_a_wrong_password_is_told_on_the_page(running: RunningKept) -> None:
    running.make_user("somebody")
    async with open_chromium() as browser:
        page = await browser.new_page()
        await sign_in(page, home_address(running))
        await expect(page.get_by_role("alert")).to_have_text("Wrong username or password.")


async def test_another_sites_form_cannot_act_for_somebody_signed_in(
    running: RunningKept, httpserver: HTTPServer
) -> None:
    running.make_user("ann")
    for address in (home_address(running), running.address):  # without and with Sec-Fetch-Site
        httpserver.expect_request("/").respond_with_data(
            f'<form method="post" action="{address}/sign-out"><button>Win a prize</button></form>',
            content_type="text/html",
        )
        async with open_chromium() as browser:
            page = await browser.new_page()
            await sign_in(page, address)
            await page.goto(f"http://evil.example:{httpserver.port}/")
            await page.get_by_role("button", name="Win a prize").click()
            await page.wait_for_url("**/sign-out")
            assert "did not come from one of Kept" in await page.content()
            await page.goto(f"{address}/")
            await expect(page.get_by_role("heading", name="My library")).to_be_visible()
