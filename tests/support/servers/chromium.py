"""Debian's Chromium, driven by Playwright, for pages on loopback under any host name."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright


@asynccontextmanager
async def open_chromium(*arguments: str) -> AsyncIterator[Browser]:
    """Every host name leads to loopback: a page of a home network's plain HTTP is then just another name."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("CHROMIUM IS NOT INSTALLED: this is not tested in a browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program,
            chromium_sandbox=os.geteuid() != 0,
            args=[
                "--host-resolver-rules=MAP * 127.0.0.1",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--disable-quic",
                *arguments,
            ],
        )
        try:
            yield browser
        finally:
            await browser.close()
