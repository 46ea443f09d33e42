"""What waits, what runs and what failed, of the pages the viewer may see."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.account import Viewer
from kept.storage import overview
from kept.storage.database.engine import Database
from kept.storage.overview import Failure, Work

FAILURES_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class FailureGroup:
    code: str | None
    count: int
    examples: list[Failure]


@dataclass(frozen=True, slots=True)
class QueueOverview:
    waiting_count: int
    running_count: int
    waiting: list[Work]
    running: list[Work]
    failures: list[FailureGroup]

    @property
    def failure_count(self) -> int:
        return sum(group.count for group in self.failures)


async def look_at_queue(database: Database, viewer: Viewer, *, now: datetime) -> QueueOverview:
    user_id = viewer.user_id
    async with database.read() as tx:
        reasons = await overview.count_failures(tx, user_id)
        return QueueOverview(
            await overview.count_work(tx, user_id, now, running=False),
            await overview.count_work(tx, user_id, now, running=True),
            await overview.list_work(tx, user_id, now, running=False),
            await overview.list_work(tx, user_id, now, running=True),
            [
                FailureGroup(code, count, await overview.list_failures(tx, user_id, code, limit=FAILURES_SHOWN))
                for code, count in reasons
            ],
        )


async def list_failed(database: Database, viewer: Viewer, code: str | None, *, limit: int) -> list[Failure]:
    async with database.read() as tx:
        return await overview.list_failures(tx, viewer.user_id, code, limit=limit)
