"""Concurrency by key: so many at once for one host, so many for one user."""

import asyncio
from collections import deque


class Slots:
    """At most `limit` holders of a key at a time, in turn. Keys nobody holds take no memory.

    Whoever has acquired must release. Like a semaphore for each key, but made so that taking a free slot is two
    look-ups: every request does it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def acquire(self, key: str) -> None:
        held = self._held.get(key, 0)
        if held < self._limit:
            self._held[key] = held + 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the slot was handed over in the moment of cancellation
                self.release(key)
            raise

    def release(self, key: str) -> None:
        """The slot goes to whoever waits longest; only if nobody does it becomes free."""
        waiting = self._waiting.get(key)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(key, None)
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]

    def __len__(self) -> int:
        return len(self._held)
