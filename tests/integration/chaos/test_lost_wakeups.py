"""Celery and Redis over the real pipeline: losing every message, or never sending it, loses no page.

The row is the truth, the broker carries wakeups (docs/design.md, "Jobs"). Done within 10 s of recovery.
"""

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
import redis

from kept.storage.database.engine import Database
from support.chaos.findings import Accepted, look
from support.chaos.fleet import Fleet, Mode, Victim, prepare_fleet, reviving, run_fleet
from support.chaos.site import PageKind, Site
from support.chaos.storm import Report, Saver, drain, make_people, save
from support.servers.origin import run_origin

pytestmark = pytest.mark.requirement("Kept", "wakeups that get lost (FLUSHALL, an API that dies before it publishes)")

PAGES = 15
RECOVERY_SECONDS = 10.0


@dataclass
class Running:
    fleet: Fleet
    database: Database
    site: Site
    ann: Saver

    async def save_pages(self, first: int) -> list[Accepted]:
        report = Report(self.fleet.mode)
        pages = [self.site.add(number, PageKind.PICTURED) for number in range(first, first + PAGES)]
        async with aiohttp.ClientSession() as session:
            return [await save(session, self.fleet, page, self.ann, report) for page in pages]

    def signal_workers(self, number: int) -> None:
        for name, process in self.fleet.running.items():
            if "worker" in name:
                os.killpg(process.pid, number)

    async def require_all(self, accepted: list[Accepted], *, within: float = RECOVERY_SECONDS) -> None:
        assert await drain(self.database) < within
        assert look(self.database, accepted).broken == []


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[Running]:
    """Warm: it has kept a page."""
    async with run_origin("127.0.0.2") as origin:
        site = Site(origin, hosts=("127.0.0.1", "127.0.0.2"))
        with prepare_fleet(Mode.CELERY, origin, KEPT_STORE_IMAGES="false") as fleet:
            async with run_fleet(fleet) as database, reviving(fleet):
                [ann, *_] = await make_people(database)
                made = Running(fleet, database, site, ann)
                await made.save_pages(0)
                await drain(database)
                yield made


async def test_flushall_loses_no_page(running: Running) -> None:
    assert running.fleet.redis is not None
    broker = redis.Redis.from_url(running.fleet.redis.url)
    running.signal_workers(signal.SIGSTOP)  # so that the wakeups are still there to be lost
    try:
        accepted = await running.save_pages(100)
        assert broker.llen("ingest") >= PAGES - 1  # Redis gives one to a worker that asked before it was stopped
        broker.flushall()
    finally:
        running.signal_workers(signal.SIGCONT)
    await running.require_all(accepted)


async def test_an_api_that_died_between_commit_and_publish_loses_no_page(running: Running) -> None:
    """Redis is away when the pages are committed, and the API is killed before it is back: no wakeup was ever sent."""
    fleet = running.fleet
    assert fleet.redis is not None
    fleet.redis.kill()
    accepted = await running.save_pages(200)
    fleet.running["server"].kill()
    fleet.redis.start()
    await running.require_all(accepted)


@pytest.mark.long
async def test_both_at_once(running: Running) -> None:
    """The worker is killed too: wakeups lost, API dead, leases left behind."""
    accepted = await running.save_pages(300)
    assert running.fleet.redis is not None
    redis.Redis.from_url(running.fleet.redis.url).flushall()
    running.fleet.kill(Victim.SERVER, random.Random(1))
    running.signal_workers(signal.SIGKILL)
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(running.fleet.answers):
            await asyncio.sleep(0.05)
    await running.require_all(accepted, within=60)  # Celery itself takes some to start
