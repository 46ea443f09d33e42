"""How many jobs of which kind are in which state, for the metrics."""

from datetime import datetime

from kept.domain.queue_report import Depth
from kept.storage.database.engine import Connection
from kept.storage.jobs import report


def count_jobs(tx: Connection, *, now: datetime, lease_seconds: float) -> list[Depth]:
    return report.count_jobs(tx, now=now, lease_seconds=lease_seconds)
