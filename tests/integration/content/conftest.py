"""One browser for the tests of a file."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from support.servers.chromium import open_chromium


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with open_chromium() as launched:
        yield launched
