"""A child of Celery's between two jobs: what nobody needs any more ends there too."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager

import pytest

from kept.config import Settings
from kept.domain.job import JobKind, Queue
from kept.jobs.celery import PreforkChild
from kept.jobs.running import Handler
from kept.storage.database.engine import Database

pytestmark = pytest.mark.requirement("Kept", "a worker closes what nobody needs, under Celery too")


class Browser:
    """Stands for all that a child opens for its jobs and closes by the clock when it is idle."""

    def __init__(self) -> None:
        self.is_closed = threading.Event()
        self.closed_in: asyncio.AbstractEventLoop | None = None

    def close(self) -> None:
        self.closed_in = asyncio.get_running_loop()
        self.is_closed.set()


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def child(sqlite_url: str, browser: Browser) -> Iterator[PreforkChild]:
    @asynccontextmanager
    async def open_handlers(_: Settings, __: Database) -> AsyncIterator[Mapping[JobKind, Handler]]:
        asyncio.get_running_loop().call_later(0.2, browser.close)
        yield {}

    child = PreforkChild(Settings(database_url=sqlite_url), open_handlers, tend_every_seconds=0.1)
    child.open()
    yield child
    child.close()


def test_what_is_idle_is_closed_though_no_job_comes(child: PreforkChild, browser: Browser) -> None:
    assert browser.is_closed.wait(20)
    assert browser.closed_in is child.loop


def test_jobs_and_the_moments_between_them_take_turns(child: PreforkChild, browser: Browser) -> None:
    for _ in range(200):
        child.run_one(Queue.INGEST)
    assert browser.is_closed.wait(20)
