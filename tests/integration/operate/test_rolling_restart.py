"""A new version put in place one process after another, while people go on saving and reading."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

import pytest

from support.chaos.findings import Accepted
from support.chaos.proxy import run_proxy
from support.chaos.using import FleetInUse, eventually
from support.servers.serving import Person

HANDS = 2
PAUSE_SECONDS = 0.4  # so that what is left to do afterwards is soon done


@dataclass
class Load:
    """Saves and reads, one after another in each hand, until told to stop."""

    fleet: FleetInUse
    person: Person
    saved: list[Accepted] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    requests: int = 0
    is_over: bool = False

    async def run(self) -> None:
        while not self.is_over:
            try:
                saved = await self.fleet.save(person=self.person)
                self.saved.append(saved)
                read = await self.person.get(f"/api/v1/items/{saved.item_id}")
                assert read.status == 200, read.body
                self.requests += 2
                await asyncio.sleep(PAUSE_SECONDS)
            except Exception as error:
                self.failed.append(f"{type(error).__name__}: {error}")


@pytest.mark.long
async def test_servers_and_workers_are_replaced_under_load_and_nobody_notices(grown: FleetInUse) -> None:
    async with run_proxy(grown.fleet.ports) as proxy:
        load = Load(grown, grown.person_at(proxy.address))
        hands = [asyncio.create_task(load.run()) for _ in range(HANDS)]
        for number, names in enumerate((("server", "worker"), ("server-2", "worker-2"))):
            await asyncio.gather(*(asyncio.to_thread(grown.fleet.restart, name) for name in names))
            await eventually(partial(answers, grown, number), what=names[0])
        load.is_over = True
        await asyncio.gather(*hands)
    assert load.failed == []
    assert load.requests > 10
    await grown.require_all(load.saved)


async def answers(grown: FleetInUse, server: int) -> bool:
    try:
        return await grown.is_ready(server)
    except OSError:
        return False
