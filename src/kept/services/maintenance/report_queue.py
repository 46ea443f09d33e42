"""The queue in numbers, for whoever runs the server: depth, the busiest hosts, the last failures."""

from datetime import datetime

from kept.domain.queue_report import QueueReport
from kept.storage.database.engine import Connection
from kept.storage.jobs import report


def report_queue(tx: Connection, *, now: datetime, lease_seconds: float) -> QueueReport:
    depths = report.count_jobs(tx, now=now, lease_seconds=lease_seconds)
    return QueueReport(depths, report.count_hosts(tx), report.list_last_failures(tx))
