"""Password hashing with argon2id, in a small pool of threads: each hash takes tens of milliseconds and 64 MiB."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

POOL_SIZE: Final = 2  # bounds memory and CPU that sign-ins can take from the rest
QUEUE_LIMIT: Final = 32


class TooManySignIns(Exception):
    """The pool has more waiting than it can serve soon."""


class Passwords:
    """Hashes and verifies. Verifying for a user who does not exist takes as long as for one who does."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._pool = ThreadPoolExecutor(POOL_SIZE, thread_name_prefix="argon2")
        self._waiting = 0
        self._nobody = self._hasher.hash("nobody's password")

    async def hash(self, password: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._hasher.hash, password)

    async def verify(self, password_hash: str | None, password: str) -> bool:
        if self._waiting >= QUEUE_LIMIT:
            raise TooManySignIns
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            known = password_hash is not None
            good = await loop.run_in_executor(self._pool, self._verify, password_hash or self._nobody, password)
            return good and known
        finally:
            self._waiting -= 1

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except VerificationError:
            return False

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
