"""The `import` job: as much as fits into half of its time, and the rest is for the next claim."""

import time
from typing import Final

from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.services.importing.advance_import import Slice, advance_import
from kept.services.importing.importer import Importer
from kept.storage.jobs import queue

log = structlog.get_logger("kept.import")

SHARE_OF_JOB: Final = 0.5


async def run_import(importer: Importer, job: ClaimedJob) -> None:
    ends_at = time.monotonic() + importer.settings.job_seconds * SHARE_OF_JOB
    is_over = await advance_import(importer, job.subject_id, Slice(job=job, ends_at=ends_at))
    log.info("import.over" if is_over else "import.goes_on", import_id=str(job.subject_id))
    if is_over:
        await importer.database.write(queue.finish, job)
    else:
        await importer.database.write(queue.go_on_later, job, importer.now())
