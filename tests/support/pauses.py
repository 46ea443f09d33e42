"""How long an event loop was held up by whatever runs in it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

TICK_SECONDS = 0.01


@dataclass
class Pauses:
    longest_seconds: float = 0.0


@asynccontextmanager
async def measure_pauses() -> AsyncIterator[Pauses]:
    """The longest time within the block in which the loop answered nobody, and this process worked.

    Of a pause, only as much counts as the process had the processor: on a busy machine it waits for its turn for
    seconds. A thread that keeps the interpreter to itself counts like the loop's own work.
    """
    pauses = Pauses()

    async def watch() -> None:
        while True:
            started, worked = time.monotonic(), time.process_time()
            await asyncio.sleep(TICK_SECONDS)
            paused = min(time.monotonic() - started - TICK_SECONDS, time.process_time() - worked)
            pauses.longest_seconds = max(pauses.longest_seconds, paused)

    watching = asyncio.create_task(watch())
    try:
        yield pauses
        await asyncio.sleep(2 * TICK_SECONDS)  # a pause is known once it is over
    finally:
        watching.cancel()
