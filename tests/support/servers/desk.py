"""Somebody at a browser: their pages, what those asked of other hosts, and every rule of the policy they broke."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from support.builders.accounts import PASSWORD


@dataclass
class Desk:
    address: str
    context: BrowserContext
    page: Page
    strangers: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)

    def watch_request(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.address).netloc:
            self.strangers.append(request.url)

    def watch_console(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.violations.append(message.text)

    async def go(self, path: str) -> None:
        await self.page.goto(self.address + path)

    async def go_ready(self, path: str) -> None:
        """And wait for the scripts to have begun."""
        await self.go(path)
        await self.page.wait_for_selector("html[data-ready]", state="attached")

    async def sign_in(self, name: str, password: str = PASSWORD) -> None:
        await self.go("/sign-in")
        await self.page.locator("input[name=name]").fill(name)
        await self.page.locator("input[name=password]").fill(password)
        await self.page.locator("form.panel button").click()  # whatever the language
        await self.page.wait_for_url(f"{self.address}/")


@asynccontextmanager
async def sit_down(browser: Browser, address: str, **options: Any) -> AsyncIterator[Desk]:
    """Leaving, the desk must be clean: no broken rule, no crashed script, nothing asked of another host."""
    context = await browser.new_context(**{"service_workers": "block", **options})
    desk = Desk(address, context, await context.new_page())
    context.on("request", desk.watch_request)
    context.on("console", desk.watch_console)
    context.on("weberror", lambda error: desk.crashes.append(str(error.error)))
    try:
        yield desk
        assert desk.violations == []
        assert desk.crashes == []
        assert desk.strangers == []
    finally:
        await context.close()
