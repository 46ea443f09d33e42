"""Limits on what one person or address may ask of the server: rates of requests and uploads at once."""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, Literal
from uuid import UUID

import structlog
from limits import RateLimitItem, parse
from limits.aio.storage import Storage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from kept.domain.errors import RateLimited

Kind = Literal["login", "save"]
log = structlog.get_logger("kept.http")
MEMORY: Final = "async+memory://"
# redispy: the client that Celery brings. A Redis that does not answer must not hold up a save.
SHARED_OPTIONS: Final = {
    "implementation": "redispy",
    "wrap_exceptions": True,
    "socket_connect_timeout": 1.0,
    "socket_timeout": 1.0,
}
LEFT_ALONE_SECONDS: Final = 5.0
PER_USER: Final = 2
IN_ALL: Final = 16
RETRY_SECONDS: Final = 30


class RateLimits:
    """Limits how often somebody may do something: a sliding window per kind and key, in memory or shared through Redis.

    While Redis is away each process counts for itself: nobody is kept from saving by a counter that cannot be reached.
    """

    def __init__(self, rates: dict[Kind, str], storage_url: str | None = None) -> None:
        self._rates: dict[Kind, RateLimitItem] = {kind: parse(rate) for kind, rate in rates.items()}
        self._own = _open_limiter(MEMORY)
        self._shared = _open_limiter(f"async+{storage_url}", **SHARED_OPTIONS) if storage_url else self._own
        self._shared_again_at = 0.0

    async def require(self, kind: Kind, *key: str, factor: int = 1) -> None:
        """Count one more, or raise RateLimited with the seconds to wait. `factor` multiplies the allowed rate."""
        rate = self._rates[kind]
        rate = type(rate)(rate.amount * factor, rate.multiples)
        if time.monotonic() >= self._shared_again_at:
            try:
                await _require_from(self._shared, rate, kind, *key)
            except (StorageError, OSError) as error:
                self._shared_again_at = time.monotonic() + LEFT_ALONE_SECONDS
                log.warning("http.limits_not_shared", error=f"{type(error).__name__}: {error}")
            else:
                return
        await _require_from(self._own, rate, kind, *key)

    async def is_exhausted(self, kind: Kind, *key: str) -> bool:
        """Return whether one more would be too many, without counting it."""
        limiter = self._shared if time.monotonic() >= self._shared_again_at else self._own
        try:
            return not await limiter.test(self._rates[kind], kind, *key)
        except (StorageError, OSError):
            return not await self._own.test(self._rates[kind], kind, *key)

    async def admits(self, kind: Kind, *key: str) -> bool:
        """Count one more, and say whether it is within the rate."""
        try:
            await self.require(kind, *key)
        except RateLimited:
            return False
        return True


class UploadSlots:
    """Limits how many uploads run at once: each lies on the disk until it is a blob. It is used from one event loop."""

    def __init__(self) -> None:
        self._taken: Counter[UUID] = Counter()

    @asynccontextmanager
    async def take(self, user_id: UUID) -> AsyncIterator[None]:
        """Hold a slot for one upload; raises RateLimited if too many run already."""
        if self._taken[user_id] >= PER_USER or self._taken.total() >= IN_ALL:
            raise RateLimited(RETRY_SECONDS)
        self._taken[user_id] += 1
        try:
            yield
        finally:
            self._taken[user_id] -= 1
            self._taken += Counter()  # forgets those who have none


def _open_limiter(url: str, **options: Any) -> SlidingWindowCounterRateLimiter:
    storage = storage_from_string(url, **options)
    assert isinstance(storage, Storage)
    return SlidingWindowCounterRateLimiter(storage)


async def _require_from(limiter: SlidingWindowCounterRateLimiter, rate: RateLimitItem, *key: str) -> None:
    if not await limiter.hit(rate, *key):
        window = await limiter.get_window_stats(rate, *key)
        raise RateLimited(max(1, math.ceil(window.reset_time - time.time())))
