"""The queue in numbers, for whoever runs the server: depth, the busiest hosts, the last failures."""

from datetime import datetime

from kept.domain.queue_report import QueueReport
from kept.storage.database.engine import Connection, Database
from kept.storage.jobs import report


async def report_queue(database: Database, *, now: datetime, lease_seconds: float) -> QueueReport:
    return await database.read(_read_report, now, lease_seconds)


def _read_report(tx: Connection, now: datetime, lease_seconds: float) -> QueueReport:
    depths = report.count_jobs(tx, now=now, lease_seconds=lease_seconds)
    return QueueReport(depths, report.count_hosts(tx), report.list_last_failures(tx))
