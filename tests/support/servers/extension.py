"""Debian's Chromium with Kept's extension in it, and a way to Kept that can be cut."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, Worker, async_playwright

from support.builders.accounts import PASSWORD
from support.fixtures.waiting import until

SOURCE = Path(__file__).parents[3] / "extension"


def prepare_extension(folder: Path, origins: Sequence[str], permissions: Sequence[str] = ()) -> Path:
    """The extension as it is, but with these permissions given: no browser without a screen shows the question."""
    target = folder / "extension"
    shutil.copytree(SOURCE, target)
    manifest = json.loads((SOURCE / "manifest.json").read_text())
    manifest["host_permissions"] = [f"{origin}/*" for origin in origins]
    manifest["permissions"] += permissions
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


@dataclass(frozen=True)
class ExtendedBrowser:
    context: BrowserContext
    background: Worker

    @property
    def address(self) -> str:
        return self.background.url.removesuffix("/background.js")

    async def run(self, script: str, *values: Any) -> Any:
        """In the service worker; `values` is its one argument."""
        return await self.background.evaluate(script, list(values))

    async def visit(self, url: str) -> Page:
        page = await self.context.new_page()
        await page.goto(url)
        return page

    async def open_options(self) -> Page:
        page = await self.visit(f"{self.address}/options/options.html")
        await page.wait_for_selector("html[data-ready]", state="attached")
        return page

    async def open_popup(self, on: Page) -> Page:
        """As a page of its own: only a person can click the button."""
        tab_id = await self.tab_id(on)
        page = await self.visit(f"{self.address}/popup/popup.html?tab={tab_id}")
        await page.wait_for_selector("html[data-ready]", state="attached")
        return page

    async def tab_id(self, page: Page) -> int:
        tab = await self.find_tab(page)
        return int(tab["id"])

    async def find_tab(self, page: Page) -> Any:
        found = await self.run("() => chrome.tabs.query({})")
        return next(tab for tab in found if tab.get("url") == page.url)

    async def fire(self, event: str, *values: Any) -> None:
        """As the browser would: `contextMenus.onClicked`, `commands.onCommand`, `alarms.onAlarm`."""
        await self.run(
            "([event, ...values]) => event.split('.').reduce((part, name) => part[name], chrome).dispatch(...values)",
            event,
            *values,
        )

    async def queue(self) -> list[dict[str, Any]]:
        found = await self.run("() => chrome.storage.local.get('queue')")
        return list(found.get("queue", []))

    async def send_waiting(self) -> None:
        """What the alarm does, without waiting for it to be due."""
        await self.run(
            "() => chrome.storage.local.get('queue').then(({queue}) => chrome.storage.local.set("
            "{queue: queue.map((entry) => ({...entry, nextAt: 0}))}))"
        )
        await self.fire("alarms.onAlarm", {"name": "queue"})

    async def badge(self, tab_id: int | None = None) -> str:
        asked = {} if tab_id is None else {"tabId": tab_id}
        return str(await self.run("([asked]) => chrome.action.getBadgeText(asked)", asked))

    async def sign_in(self, address: str, name: str) -> None:
        page = await self.visit(f"{address}/sign-in")
        await page.get_by_label("Name").fill(name)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await page.wait_for_url(f"{address}/")
        await page.close()

    async def pair(self, address: str) -> None:
        """As a person does, from the options page to the page on which they agree."""
        options = await self.open_options()
        await options.get_by_label("URL of your Kept server").fill(address)
        async with self.context.expect_page() as opened:
            await options.get_by_role("button", name="Connect", exact=True).click()
        asking = await opened.value
        await asking.get_by_role("button", name="Connect").click()
        await options.get_by_text("Connected.", exact=True).wait_for()
        await until(asking.is_closed, what="the tab that asked is closed")
        await options.close()


@asynccontextmanager
async def open_extended(extension: Path, profile: Path) -> AsyncIterator[ExtendedBrowser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("CHROMIUM IS NOT INSTALLED: the extension is not tested in a browser")
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            profile,
            executable_path=program,
            chromium_sandbox=os.geteuid() != 0,
            headless=False,
            ignore_default_args=["--disable-extensions"],
            args=[
                "--headless=new",
                f"--disable-extensions-except={extension}",
                f"--load-extension={extension}",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--disable-quic",
            ],
        )
        try:
            workers = context.service_workers
            yield ExtendedBrowser(context, workers[0] if workers else await context.wait_for_event("serviceworker"))
        finally:
            await context.close()


class Line:
    """Between a client and a server; its port stays the same whatever happens on it."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.address = ""
        self.is_cut = False
        """No connection lasts."""
        self.loses = b""
        """Requests with this in them arrive, and their answers do not."""
        self.answers_lost = 0
        self.connections: set[asyncio.Task[None]] = set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self.serve(reader, writer))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            if not self.is_cut:
                await self.forward(reader, writer)
        writer.close()

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, downstream = await asyncio.open_connection("127.0.0.1", self.target)
        asked: list[bytes] = []
        there = asyncio.create_task(self.copy(reader, downstream, asked))
        try:
            while data := await upstream.read(65536):
                if self.is_cut or (self.loses and self.loses in b"".join(asked)):
                    self.answers_lost += 1
                    return
                asked.clear()
                writer.write(data)
                await writer.drain()
        finally:
            there.cancel()
            downstream.close()

    async def copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes]) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                asked.append(data)
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def open_line(address: str) -> AsyncIterator[Line]:
    line = Line(int(address.rpartition(":")[2]))
    server = await asyncio.start_server(line.accept, "127.0.0.1", 0)
    line.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        for connection in list(line.connections):
            connection.cancel()
        await asyncio.gather(*line.connections, return_exceptions=True)
