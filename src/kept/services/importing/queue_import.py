"""Queue the `import` job: as urgent as a save, because somebody looks on. What it finds to fetch is not."""

from datetime import datetime

from kept.domain.importing import Import
from kept.domain.job import JobKind, NewJob, Priority
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def queue_import(tx: Connection, found: Import, now: datetime) -> None:
    queue.enqueue(tx, NewJob(JobKind.IMPORT, found.id, None, Priority.PERSON, now, found.user_id, None), now=now)
