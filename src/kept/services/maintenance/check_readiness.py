"""Whether this process can serve: what it needs, and what it can do without."""

import asyncio
from dataclasses import dataclass
from typing import Final

from kept.domain.errors import DatabaseReadOnly, DatabaseUnreachable, Unavailable
from kept.jobs.notifier import Notifier
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database

ANSWER_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Readiness:
    problems: list[str]
    degraded: list[str]
    """What every server of an instance shares, and saving and reading can do without."""


async def check_readiness(database: Database, blobs: BlobStore, notifier: Notifier) -> Readiness:
    found = Readiness([], [])
    problem = await _find_database_problem(database)
    if problem is not None:
        found.problems.append(problem)
    if not await notifier.is_reachable():
        found.degraded.append("the broker does not answer: work waits")
    if not await _can_store_blobs(blobs):
        if blobs.is_shared:
            found.degraded.append("the bucket cannot be used: images wait")
        else:
            found.problems.append("the blob store cannot be written")
    return found


async def _find_database_problem(database: Database) -> str | None:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await database.check()
    except DatabaseReadOnly:
        return "the database cannot be written"
    except (DatabaseUnreachable, TimeoutError):
        return "the database does not answer"
    return None


async def _can_store_blobs(blobs: BlobStore) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await blobs.check()
    except (OSError, Unavailable):  # a TimeoutError is an OSError
        return False
    return True
