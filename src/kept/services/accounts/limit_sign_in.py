"""Slow down whoever guesses passwords, without locking anybody out.

A name has a limit for each client address, and an address one for all names. Attempts at one name from many addresses
are not refused, only answered later: otherwise a stranger could keep somebody from signing in. A device on which the
person has signed in before has a limit of its own, which no stranger uses up.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from kept.domain.account import parse_user_name
from kept.domain.errors import InvalidRequest
from kept.domain.known_device import find_device_id
from kept.services.requests.limits import RateLimits
from kept.storage import users
from kept.storage.database.engine import Database

# Several people may share an address.
NAMES_PER_ADDRESS: Final = 3
SLOW_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    name: str
    address: str
    device_mark: str | None = None


async def limit_sign_in(database: Database, limits: RateLimits, attempt: SignInAttempt) -> None:
    """Raises RateLimited, or returns after a while."""
    name = _fold(attempt.name)
    device_id = await _find_device_id(database, name, attempt.device_mark)
    if device_id is not None:
        await limits.require("login", "device", device_id)
        return
    await limits.require("login", "address", attempt.address, factor=NAMES_PER_ADDRESS)
    await limits.require("login", "pair", name or "", attempt.address)
    if name and not await limits.admits("login", "name", name):
        await asyncio.sleep(SLOW_SECONDS)


def _fold(name: str) -> str | None:
    """As the account is looked up: every spelling of a name counts for the same one. None for what can be no name."""
    try:
        return parse_user_name(name)
    except InvalidRequest:
        return None


async def _find_device_id(database: Database, name: str | None, mark: str | None) -> str | None:
    found = await database.read(users.find_password_hash, name) if name and mark else None
    return find_device_id(mark, found[1]) if found and mark else None
