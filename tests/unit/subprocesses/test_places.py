"""Who waits for a place in a process pool, and for whom."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from kept.subprocesses.pool import Places

pytestmark = pytest.mark.requirement("Kept", "whoever has nothing running does not wait for others")


async def is_waiting(places: Places, owner: str | None, stack: AsyncExitStack) -> bool:
    taking = asyncio.ensure_future(stack.enter_async_context(places.take(owner)))
    stack.callback(taking.cancel)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return not taking.done()


async def test_an_owner_with_no_place_gets_the_reserve_and_nobody_else_does() -> None:
    places = Places(2, has_reserve=True)
    async with AsyncExitStack() as first, AsyncExitStack() as stack:
        assert not await is_waiting(places, "ann", first)
        assert not await is_waiting(places, "ann", stack)
        assert await is_waiting(places, "ann", stack), "she has two"
        assert await is_waiting(places, None, stack), "nobody's request has no claim to it"
        assert not await is_waiting(places, "bob", stack)
        assert await is_waiting(places, "bob", stack), "he has one now"
        assert await is_waiting(places, "eve", stack), "there is one reserve"
        await first.aclose()
        await asyncio.sleep(0)


async def test_without_a_reserve_everybody_waits_in_line() -> None:
    places = Places(1)
    async with AsyncExitStack() as stack:
        assert not await is_waiting(places, "ann", stack)
        assert await is_waiting(places, "bob", stack)
