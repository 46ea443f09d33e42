"""Slow down whoever guesses tokens, without limiting apps that sign in with good ones as often as they like."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from kept.domain.errors import RateLimited
from kept.services.requests.limits import RateLimits

T = TypeVar("T")

RETRY_SECONDS: Final = 60


async def limit_app_sign_in(limits: RateLimits, address: str, attempt: Callable[[], Awaitable[T | None]]) -> T | None:
    """Only failures count, for each address; after too many of them nothing is looked at for a while."""
    if await limits.is_exhausted("login", "app", address):
        raise RateLimited(RETRY_SECONDS)
    found = await attempt()
    if found is None:
        await limits.require("login", "app", address)
    return found
