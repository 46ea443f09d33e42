"""For the executor: the attempts to capture a whole page are used up. The article stays without one."""

import structlog

from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.observability import CAPTURES
from kept.storage.database.engine import Database
from kept.storage.jobs import queue

log = structlog.get_logger("kept.captures")


async def abandon_capture(database: Database, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await database.write(queue.finish, job)
    CAPTURES.labels("given_up").inc()
    log.warning("captures.given_up", media_id=str(job.subject_id), code=code, reason=message)
