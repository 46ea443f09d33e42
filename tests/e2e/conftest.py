"""One browser for all end-to-end tests; each person in them has a context of their own."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from support.servers.chromium import open_chromium


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with open_chromium() as browser:
        yield browser
