"""For the executor: the attempts to find the places of highlights are used up. They stay, without a place."""

from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.storage.database.engine import Database
from kept.storage.jobs import queue

log = structlog.get_logger("kept.highlights")


async def abandon_anchoring(database: Database, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await database.write(queue.finish, job)
    log.warning("highlights.given_up", media_id=str(job.subject_id), code=code, reason=message)
