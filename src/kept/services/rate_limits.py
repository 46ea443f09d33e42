"""How often somebody may do something: a sliding window per kind and key, in memory or shared through Redis."""

import math
import time
from typing import Final, Literal

from limits import RateLimitItem, parse
from limits.aio.storage import Storage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.storage import storage_from_string

from kept.domain.errors import RateLimited

Kind = Literal["login", "save"]

MEMORY: Final = "async+memory://"


class RateLimits:
    def __init__(self, rates: dict[Kind, str], storage_url: str | None = None) -> None:
        self._rates: dict[Kind, RateLimitItem] = {kind: parse(rate) for kind, rate in rates.items()}
        storage = storage_from_string(f"async+{storage_url}" if storage_url else MEMORY)
        assert isinstance(storage, Storage)
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def require(self, kind: Kind, *key: str) -> None:
        """Counts one more, or raises RateLimited with the seconds to wait."""
        rate = self._rates[kind]
        if not await self._limiter.hit(rate, kind, *key):
            window = await self._limiter.get_window_stats(rate, kind, *key)
            raise RateLimited(max(1, math.ceil(window.reset_time - time.time())))
