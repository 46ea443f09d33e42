"""A fleet in use: people who save and read through its API, and what they can be asked about it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from kept.storage.database.engine import Database
from support.chaos.findings import Accepted, look
from support.chaos.fleet import Fleet, Mode, Shape, prepare_fleet, run_fleet
from support.chaos.site import HOSTS, SHARED_PATH, PageKind, Site, serve_portrait, serve_shared_page
from support.chaos.storm import Saver, drain, make_people
from support.fixtures.waiting import until
from support.servers.origin import run_origin
from support.servers.serving import Answer, Person

PATIENCE_SECONDS = 60.0


@dataclass
class FleetInUse:
    fleet: Fleet
    database: Database
    site: Site
    ann: Saver
    pages: int = 0

    def person(self, server: int = 0) -> Person:
        """Ann, at one of the servers."""
        return Person(self.fleet.addresses[server], self.ann.token)

    def person_at(self, address: str) -> Person:
        return replace(self.person(), address=address)

    def add_page(self, kind: PageKind = PageKind.PICTURED) -> Accepted:
        """A page nobody saved yet; the item's id is filled in by `save`."""
        self.pages += 1
        return Accepted(self.site.add(self.pages, kind), self.ann.user_id, UUID(int=0))

    async def save(self, kind: PageKind = PageKind.PICTURED, person: Person | None = None) -> Accepted:
        page = self.add_page(kind)
        answer = await (person or self.person()).post("/api/v1/items", {"url": page.page.url})
        assert answer.status == 201, answer.body
        return replace(page, item_id=UUID(answer.data["id"]))

    async def is_ready(self, server: int = 0) -> bool:
        return (await self.person(server).get("/readyz")).status == 200

    async def get_item(self, item_id: UUID | str) -> dict[str, Any]:
        data: dict[str, Any] = (await self.person().get(f"/api/v1/items/{item_id}")).data
        return data

    async def require_all(self, accepted: list[Accepted], *, within: float = PATIENCE_SECONDS) -> None:
        """Everything that was accepted is there as it should be, and no work is left."""
        assert await drain(self.database) < within
        assert look(self.database, accepted).broken == []


eventually = partial(until, seconds=PATIENCE_SECONDS)


def explain(answer: Answer) -> tuple[int, str]:
    """Status and code: what a program can tell of a refusal."""
    assert b"Traceback" not in answer.body
    return answer.status, answer.error_code


@asynccontextmanager
async def use_fleet(mode: Mode, shape: Shape, **variables: str) -> AsyncIterator[FleetInUse]:
    async with run_origin(*HOSTS) as origin:
        origin.on("/portrait.png", serve_portrait)
        origin.on(SHARED_PATH, serve_shared_page)
        with prepare_fleet(mode, origin, shape, **variables) as fleet:
            async with run_fleet(fleet) as database:
                [ann, *_] = await make_people(database)
                yield FleetInUse(fleet, database, Site(origin), ann)
