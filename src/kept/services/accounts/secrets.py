"""Secrets and passwords: how they are made, hashed and verified. Only hashes are stored."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

T = TypeVar("T")
POOL_SIZE: Final = 2  # bounds memory and CPU that sign-ins can take from the rest
QUEUE_LIMIT: Final = 32


class TooManySignIns(Exception):
    """More sign-ins wait for the pool than it can serve soon."""


class Passwords:
    """Password hashing with argon2id, in a small pool of threads: each hash takes tens of milliseconds and 64 MiB.

    Verifying for a user who does not exist takes as long as for one who does.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._pool = ThreadPoolExecutor(POOL_SIZE, thread_name_prefix="argon2")
        self._waiting = 0
        self._nobody: str | None = None

    async def hash(self, password: str) -> str:
        return await self._run(self._hasher.hash, password)

    async def verify(self, password_hash: str | None, password: str) -> bool:
        if self._waiting >= QUEUE_LIMIT:
            raise TooManySignIns
        self._waiting += 1
        try:
            if password_hash is None:
                await self._run(self._verify_nobody, password)
                return False
            return await self._run(self._verify, password_hash, password)
        finally:
            self._waiting -= 1

    async def _run(self, work: Callable[..., T], *arguments: str) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def _verify_nobody(self, password: str) -> None:
        if self._nobody is None:
            self._nobody = self._hasher.hash("nobody's password")
        self._verify(self._nobody, password)

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except VerificationError:
            return False

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def hash_secret(secret: str) -> str:
    """Hash a secret that was handed to a person; only the hash is stored.

    Secrets are long and random, so that sha256 suffices.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret() -> str:
    """Make a new secret for a session, an API token or a set-up link."""
    return secrets.token_urlsafe(32)
