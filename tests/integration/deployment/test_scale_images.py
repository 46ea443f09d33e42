"""compose.scale.yaml's topology in real containers: used, and replaced one container after another under load."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Iterator
from dataclasses import dataclass, field

import pytest

from support.fixtures.waiting import until
from support.servers.containers import Store, needs_containers, show_logs
from support.servers.origin import Origin, run_origin
from support.servers.scale_stack import ScaleStack, run_parts
from support.servers.serving import Person

pytestmark = [
    pytest.mark.long,
    needs_containers,
    pytest.mark.requirement("Kept", "the scaled-out containers, replaced without a failed request"),
]

PARAGRAPH = "<p>" + "Nobody who walked along the harbour that morning thought of the storm to come. " * 4 + "</p>"
PAGE = "<!doctype html><title>The harbour {number}</title><article><h1>The harbour</h1>{body}</article>"
HANDS = 3
PAUSE_SECONDS = 0.2


@pytest.fixture(scope="module")
async def origin() -> AsyncIterator[Origin]:
    async with run_origin() as made:
        yield made


@pytest.fixture(scope="module")
def stack(store: Store, tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[ScaleStack]:
    """2 API, 2 workers, 1 render."""
    with run_parts(store, tmp_path_factory.mktemp("scale"), origin) as made:
        images = {target: store.build(target) for target in ("api", "worker", "render")}
        made.migrate(images["api"])
        for number in (0, 1):
            made.start_api(number, images["api"])
            made.start_worker(number, images["worker"])
        made.start_render(images["render"])
        yield made


@dataclass
class Load:
    """Reads and saves through the proxy by turns, one after another in each hand, until told to stop."""

    person: Person
    origin: Origin
    answered: int = 0
    failed: list[str] = field(default_factory=list)
    is_over: bool = False

    async def run(self, item_id: str, hand: int) -> None:
        for number in itertools.count():
            if self.is_over:
                return
            await self._try(self._read(item_id))
            await self._try(self._save(f"/hand-{hand}-{number}"))
            await asyncio.sleep(PAUSE_SECONDS)

    async def _try(self, step: Awaitable[None]) -> None:
        try:
            await step
            self.answered += 1
        except Exception as error:
            self.failed.append(f"{type(error).__name__}: {error}")

    async def _read(self, item_id: str) -> None:
        read = await self.person.get(f"/api/v1/items/{item_id}")
        assert read.status == 200, (read.status, read.body)

    async def _save(self, path: str) -> None:
        await self.person.save(self.origin.page(path, PAGE.format(number=path, body=PARAGRAPH)))


@contextlib.asynccontextmanager
async def under_load(person: Person, origin: Origin, item_id: str) -> AsyncIterator[Load]:
    load = Load(person, origin)
    hands = [asyncio.create_task(load.run(item_id, hand)) for hand in range(HANDS)]
    try:
        yield load
    finally:
        load.is_over = True
        await asyncio.gather(*hands)


async def is_readable(person: Person, item_id: str) -> bool:
    item = (await person.get(f"/api/v1/items/{item_id}")).data
    return bool(item["processing_status"] == "ready_for_reading")


async def is_complete(person: Person, item_id: str) -> bool:
    thumbnail = await person.get(f"/api/v1/items/{item_id}/thumbnail")
    return thumbnail.status == 200 and await is_readable(person, item_id)


async def test_the_grown_up_stack_makes_articles_and_screenshots_and_is_replaced_without_a_failed_request(
    stack: ScaleStack, origin: Origin, store: Store
) -> None:
    with show_logs(stack.store, stack.containers.values()):
        for number in (0, 1):
            await until(lambda: stack.is_serving(number), seconds=120, what=f"api-{number}")  # noqa: B023
        person = await asyncio.to_thread(stack.add_person)
        saved = await person.save(origin.page("/one", PAGE.format(number=1, body=PARAGRAPH * 8)))
        await until(lambda: is_complete(person, saved["id"]), seconds=180, what="article and screenshot")

        async with under_load(person, origin, saved["id"]) as load:
            for number in (0, 1):
                before = load.answered
                await asyncio.to_thread(stack.replace_api, number, store.build("api"))
                await until(lambda: stack.is_serving(number), seconds=120, what=f"api-{number}")  # noqa: B023
                await until(lambda: load.answered > before + 2 * HANDS, seconds=60)  # noqa: B023
            for number in (0, 1):
                await asyncio.to_thread(stack.remove, f"worker-{number}")
                await asyncio.to_thread(stack.start_worker, number, store.build("worker"))
        assert load.failed == []
        assert load.answered > 20

        again = await person.save(origin.page("/two", PAGE.format(number=2, body=PARAGRAPH * 8)))
        # Its screenshot waits behind those of some hundred pages of the load.
        await until(lambda: is_readable(person, again["id"]), seconds=300, what="a page saved after the replacement")
