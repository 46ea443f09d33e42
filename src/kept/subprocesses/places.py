"""How many requests of a process pool run at once, and for whom."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Final


class Places:
    """So many at once, and with a reserve one more, for an owner who has none: whoever asks for much waits for
    themselves alone. Used from one event loop.
    """

    def __init__(self, count: int, *, has_reserve: bool = False) -> None:
        self._general: Final = asyncio.Semaphore(count)
        self._reserve: Final = asyncio.Semaphore(1 if has_reserve else 0)
        self._requests: Final[Counter[Hashable]] = Counter()

    @asynccontextmanager
    async def take(self, owner: Hashable = None) -> AsyncIterator[bool]:
        """Whether it is the reserve."""
        places = self._choose(owner)
        self._requests[owner] += 1
        try:
            async with places:
                yield places is self._reserve
        finally:
            self._requests[owner] -= 1
            if not self._requests[owner]:
                del self._requests[owner]

    def _choose(self, owner: Hashable) -> asyncio.Semaphore:
        is_newcomer = owner is not None and owner not in self._requests
        return self._reserve if is_newcomer and self._general.locked() and not self._reserve.locked() else self._general
