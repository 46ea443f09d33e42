"""How many jobs of which kind are in which state, for the metrics."""

from datetime import datetime

from kept.domain.queue_report import Depth
from kept.storage.database.engine import Database
from kept.storage.jobs import report


async def count_jobs(database: Database, *, now: datetime, lease_seconds: float) -> list[Depth]:
    return await database.read(report.count_jobs, now=now, lease_seconds=lease_seconds)
