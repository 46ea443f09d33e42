import asyncio
import time
from typing import cast

import pytest
from playwright.async_api import Browser, Error

from kept.fetch.browser import visit as visiting
from kept.fetch.browser.guard import Watch
from kept.fetch.browser.messages import Failed, Order
from kept.fetch.outcome import FetchReason


async def test_a_visit_tells_why_it_ended_though_the_reason_comes_after_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def look(_: Browser, watch: Watch) -> None:
        asyncio.get_running_loop().call_later(0.05, watch.stop, FetchReason.PAGE_LEFT)
        raise Error("Protocol error (Runtime.evaluate): Cannot find context with specified id")

    monkeypatch.setattr(visiting, "look", look)
    order = Order("http://page.example/", True, False, time.monotonic() + 20, 1, "Kept", 1000, "", "", "")

    seen, _ = await visiting.visit(cast("Browser", None), order)

    assert isinstance(seen, Failed)
    assert seen.reason is FetchReason.PAGE_LEFT
