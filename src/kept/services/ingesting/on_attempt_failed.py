"""For the executor: an attempt crashed or ran past its time. The history tells it, and it is tried again while
attempts are left."""

from kept.domain.attempt import Failure
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.observability import INGESTS
from kept.services.ingesting.end_attempt import end_attempt
from kept.services.ingesting.ingester import Ingester

log = structlog.get_logger("kept.ingest")


async def on_attempt_failed(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    failure = Failure(code, message, FailureStage.EXTRACT, is_transient=True)
    ended = await end_attempt(ingester, job, failure)
    told = {"media_id": str(job.subject_id), "attempt": job.attempt}
    log.warning(f"ingest.{ended.end}", **told, **failure.as_log_fields())
    INGESTS.labels("timed_out" if code is FailureCode.INGEST_TIMEOUT else "crashed").inc()
