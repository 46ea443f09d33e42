"""Trying the API on its page, signed in and with a token, on a page that loads nothing from elsewhere."""

import pytest
from playwright.async_api import Browser, Locator, expect

from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "the API's documentation page loads nothing from elsewhere")


async def open_operation(desk: Desk, method: str, path: str) -> Locator:
    await desk.go("/api/docs")
    await desk.page.wait_for_selector("html[data-api-ready]", state="attached")
    operation = desk.page.locator(f'.operation:has(> form[data-method="{method}"][data-path="{path}"])')
    await operation.locator("> summary").click()
    return operation


async def test_who_is_signed_in_sends_requests_as_themselves(running: RunningKept, browser: Browser) -> None:
    running.make_user("ann")
    async with sit_down(browser, running.address) as desk:
        await desk.sign_in("ann")
        operation = await open_operation(desk, "GET", "/api/v1/me")
        await operation.get_by_role("button", name="Send request").click()
        await expect(operation.locator("output")).to_contain_text("200 OK")
        await expect(operation.locator("output pre")).to_contain_text('"name": "ann"')
        operation = await open_operation(desk, "POST", "/api/v1/items")
        await operation.get_by_label("Body, as JSON").fill('{"url": "magnet:?xt=a", "tags": ["boats"]}')
        await operation.get_by_role("button", name="Send request").click()
        await expect(operation.locator("output pre")).to_contain_text('"boats"')
        operation = await open_operation(desk, "GET", "/api/v1/items")
        await operation.get_by_label("tag", exact=False).first.fill("boats")
        await operation.get_by_label("is_unread").select_option("true")
        await operation.get_by_role("button", name="Send request").click()
        await expect(operation.locator("output pre")).to_contain_text("magnet:?xt=a")
        operation = await open_operation(desk, "GET", "/api/v1/export")
        await operation.get_by_role("button", name="Send request").click()
        async with desk.page.expect_download() as downloading:
            await operation.get_by_text("Download (").click()
        assert (await downloading.value).suggested_filename.endswith(".zip")


async def test_a_token_works_without_signing_in(running: RunningKept, browser: Browser) -> None:
    bob = await running.make_person("bob")
    async with sit_down(browser, running.address) as desk:
        operation = await open_operation(desk, "GET", "/api/v1/libraries")
        await operation.get_by_role("button", name="Send request").click()
        await expect(operation.locator("output pre")).to_contain_text("E_UNAUTHORIZED")
        await desk.page.get_by_label("API token").fill(bob.token or "")
        await operation.get_by_role("button", name="Send request").click()
        await expect(operation.locator("output pre")).to_contain_text("My library")
        assert (bob.token or "") not in desk.page.url
        stored = await desk.page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        assert (bob.token or "") not in stored
