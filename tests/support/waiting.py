"""Waiting for a condition instead of a time."""

import asyncio
import inspect
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], *, seconds: float = 30.0, what: str = "it") -> float:
    """The condition is a function or a coroutine function. Returns how long it took to come true."""
    started = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            while not await _ask(condition):
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise TimeoutError(f"{what} did not come true within {seconds} s") from None
    return time.monotonic() - started


async def _ask(condition: Callable[[], object]) -> object:
    answer = condition()
    return await answer if inspect.isawaitable(answer) else answer
