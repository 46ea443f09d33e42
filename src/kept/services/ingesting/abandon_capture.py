"""For the executor: the attempts to capture a whole page are used up. The article stays without one."""

from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.observability import CAPTURES
from kept.services.ingesting.give_up_capture import give_up_capture
from kept.services.ingesting.ingester import Ingester

log = structlog.get_logger("kept.captures")


async def abandon_capture(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await ingester.database.write(give_up_capture, job, code, message, now=ingester.now())
    CAPTURES.labels("given_up").inc()
    log.warning("captures.given_up", media_id=str(job.subject_id), code=code, reason=message)
