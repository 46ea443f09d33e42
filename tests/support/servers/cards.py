"""Card readers that the servers of all tests share: to start a process takes longer than most tests."""

import asyncio
from functools import cache

from kept.config import Settings
from kept.subprocesses.cards import CardPool


class SharedCardPool(CardPool):
    """Its processes stay when a server ends; they end with the tests."""

    @classmethod
    def from_settings(cls, settings: Settings) -> "SharedCardPool":
        limits = settings.limits
        return share_pool(asyncio.get_running_loop(), limits.save_parse_bytes, limits.save_fetch_seconds)

    async def close(self) -> None:
        """Others may use it."""


@cache
def share_pool(_loop: asyncio.AbstractEventLoop, parsed_bytes: int, seconds: float) -> SharedCardPool:
    return SharedCardPool(parsed_bytes=parsed_bytes, seconds=seconds)
