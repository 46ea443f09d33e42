"""Concurrency by key."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kept.fetch.limits import Slots


@asynccontextmanager
async def holding(slots: Slots, key: str) -> AsyncIterator[None]:
    await slots.acquire(key)
    yield
    slots.release(key)


async def test_no_more_than_the_limit_hold_one_key_at_once() -> None:
    slots = Slots(2)
    inside = most = 0

    async def work(key: str) -> None:
        nonlocal inside, most
        async with holding(slots, key):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work("a") for _ in range(10)))
    assert most == 2


async def test_keys_do_not_wait_for_each_other() -> None:
    slots = Slots(1)
    async with holding(slots, "a"), holding(slots, "b"):
        assert len(slots) == 2


async def test_a_key_nobody_holds_is_forgotten_also_after_cancellation() -> None:
    slots = Slots(1)
    async with holding(slots, "a"):
        waiting = asyncio.create_task(slots.acquire("a"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert len(slots) == 1
    assert len(slots) == 0


async def test_slots_are_given_in_the_order_of_asking() -> None:
    slots = Slots(1)
    order: list[int] = []

    async def work(number: int) -> None:
        async with holding(slots, "a"):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(5)))
    assert order == [0, 1, 2, 3, 4]
    assert len(slots) == 0


async def test_a_slot_handed_to_someone_who_is_cancelled_goes_to_the_next() -> None:
    slots = Slots(1)
    await slots.acquire("a")
    first, second = (asyncio.create_task(slots.acquire("a")) for _ in range(2))
    await asyncio.sleep(0)
    slots.release("a")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await asyncio.wait_for(second, 10)
    slots.release("a")
    assert len(slots) == 0
