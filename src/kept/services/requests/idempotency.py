"""Idempotency keys: the work is done once, and whoever asks again with the same key gets the same answer."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from kept.domain.errors import Conflict, InvalidRequest
from kept.storage import idempotency
from kept.storage.database.engine import Connection, Database

REMEMBERED_FOR: Final = timedelta(hours=24)
# An answer that has not come by then never will: the process that owed it is gone.
ABANDONED_AFTER: Final = timedelta(seconds=60)
MAX_KEY: Final = 200


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    status: int
    body: Any


async def answer_once(
    database: Database,
    user_id: UUID,
    key: str | None,
    request: str,
    work: Callable[[], Awaitable[StoredAnswer]],
    *,
    now: datetime,
) -> StoredAnswer:
    if key is None:
        return await work()
    if not 1 <= len(key) <= MAX_KEY or not key.isprintable():
        raise InvalidRequest(f"An Idempotency-Key is 1 to {MAX_KEY} printable characters.")
    request_hash = hashlib.sha256(request.encode()).hexdigest()
    earlier = await database.write(_reserve_or_find, user_id, key, request_hash, now)
    if earlier is not None:
        return earlier
    try:
        answer = await work()
    except BaseException:
        await database.write(idempotency.forget, user_id, key)
        raise
    await database.write(idempotency.remember, user_id, key, answer.status, answer.body)
    return answer


def _reserve_or_find(tx: Connection, user_id: UUID, key: str, request_hash: str, now: datetime) -> StoredAnswer | None:
    """Reserve the key and return None, or return the earlier answer."""
    idempotency.forget_older_than(tx, now - REMEMBERED_FOR)
    if idempotency.reserve(tx, user_id, key, request_hash, now):
        return None
    found = idempotency.find(tx, user_id, key)
    if found is None or found.request_hash != request_hash:
        raise Conflict("This Idempotency-Key was used for another request.")
    if found.status is not None:
        return StoredAnswer(found.status, found.answer)
    if now - found.created_at < ABANDONED_AFTER:
        raise Conflict("The first request with this Idempotency-Key is still being answered.")
    idempotency.forget(tx, user_id, key)
    idempotency.reserve(tx, user_id, key, request_hash, now)
    return None
