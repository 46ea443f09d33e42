"""How many files may be on their way to the server at once: each lies on its disk until it is a blob."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from kept.domain.errors import RateLimited

PER_USER: Final = 2
IN_ALL: Final = 16
RETRY_SECONDS: Final = 30


class UploadSlots:
    """Used from one event loop."""

    def __init__(self) -> None:
        self._taken: Counter[UUID] = Counter()

    @asynccontextmanager
    async def take(self, user_id: UUID) -> AsyncIterator[None]:
        """RateLimited where too many are on their way."""
        if self._taken[user_id] >= PER_USER or self._taken.total() >= IN_ALL:
            raise RateLimited(RETRY_SECONDS)
        self._taken[user_id] += 1
        try:
            yield
        finally:
            self._taken[user_id] -= 1
            self._taken += Counter()  # forgets those who have none
