"""Real browsers that may reach what a test allows, and must leave nothing behind."""

import asyncio
import contextlib
import dataclasses
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from kept.config import parse_allowed_target
from kept.fetch.browser.chromium import find_chromium
from kept.fetch.browser.pool import BrowserPool, PoolOptions
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import Resolver
from kept.subprocesses.tree import find_by_argument
from support.servers.browsers import MakePool, MakeSite, Stage
from support.servers.sites import FakeDns, Handler, Site, pages, run_site


@pytest.fixture(scope="session")
def chromium_program() -> Path:
    found = find_chromium()
    if found is None:
        pytest.skip("NO BROWSER: nothing about rendering is tested; install chromium")
    return found


@pytest.fixture(scope="session")
def pool_options(chromium_program: Path) -> PoolOptions:
    return PoolOptions(
        executable=chromium_program,
        user_agent="Kept/test (+https://kept.example/bot)",
        sandbox=os.getuid() != 0,
        settle_seconds=1.0,
    )


def make_policy(*allow: str) -> EgressPolicy:
    return EgressPolicy(ports={80, 443}, allow=[parse_allowed_target(text) for text in allow])


@pytest.fixture
def home() -> Iterator[Path]:
    """Where the browsers of a test's own pools live. When it is over, nobody may still be at home."""
    with tempfile.TemporaryDirectory(prefix="kb-", dir="/tmp") as folder:  # Chromium needs a short path
        yield Path(folder)
        assert find_by_argument(f"{folder}/") == []
        assert os.listdir(folder) == []


@pytest.fixture
async def make_pool(pool_options: PoolOptions, home: Path) -> AsyncIterator[MakePool]:
    """A pool of the test's own: call it with what KEPT_FETCH_ALLOW would hold; other names are `PoolOptions`."""
    async with contextlib.AsyncExitStack() as pools:

        def make(*allow: str, dns: Resolver | None = None, **changes: Any) -> BrowserPool:
            options = dataclasses.replace(pool_options, **{"folder_parent": home, **changes})
            pool = BrowserPool(options, policy=make_policy(*allow), resolver=dns or FakeDns())
            pools.push_async_callback(pool.close)
            return pool

        yield make


@pytest.fixture
async def site() -> AsyncIterator[MakeSite]:
    """Call it with a handler, or with answers by path, to get a running site."""
    async with contextlib.AsyncExitStack() as sites:

        async def start(content: Handler | dict[str, bytes], address: str = "127.0.0.1") -> Site:
            handler = pages(content) if isinstance(content, dict) else content
            return await sites.enter_async_context(run_site(handler, address))

        yield start


@pytest.fixture(scope="session")
async def running_stage(pool_options: PoolOptions) -> AsyncIterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="kb-", dir="/tmp") as folder:
        async with run_site(pages({})) as running:
            options = dataclasses.replace(pool_options, folder_parent=Path(folder))
            pool = BrowserPool(options, policy=make_policy(running.allowed), resolver=FakeDns())
            yield Stage(pool, running, Path(folder))
            await asyncio.wait_for(pool.close(), 30)
        assert find_by_argument(f"{folder}/") == []
        assert os.listdir(folder) == []


@pytest.fixture
def stage(running_stage: Stage) -> Stage:
    running_stage.play({})
    return running_stage
