"""What waits, what runs and what failed, of the pages the viewer may see."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.account import Viewer
from kept.domain.library import ALL_LIBRARIES
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import media, overview
from kept.storage.database.engine import Connection
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
    card_only_count: int

    @property
    def failure_count(self) -> int:
        return sum(group.count for group in self.failures)


def read_queue_overview(tx: Connection, viewer: Viewer, *, now: datetime) -> QueueOverview:
    user_id = viewer.user_id
    return QueueOverview(
        overview.count_work(tx, user_id, now, running=False),
        overview.count_work(tx, user_id, now, running=True),
        overview.list_work(tx, user_id, now, running=False),
        overview.list_work(tx, user_id, now, running=True),
        [
            FailureGroup(code, count, overview.list_failures(tx, user_id, code, limit=FAILURES_SHOWN))
            for code, count in overview.count_failures(tx, user_id)
        ],
        media.count_card_only(tx, choose_readable_libraries(tx, viewer, ALL_LIBRARIES)),
    )
