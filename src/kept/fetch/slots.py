"""Concurrency by key: so many at once for one host, so many for one user."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Slots:
    """At most `limit` holders of a key at a time, in turn. Keys nobody holds take no memory."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores: dict[str, asyncio.Semaphore] = {}
        self._holders: dict[str, int] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(self._limit))
        self._holders[key] = self._holders.get(key, 0) + 1
        try:
            async with semaphore:
                yield
        finally:
            self._holders[key] -= 1
            if not self._holders[key]:
                del self._holders[key], self._semaphores[key]

    def __len__(self) -> int:
        return len(self._semaphores)
