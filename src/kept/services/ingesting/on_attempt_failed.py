"""For the executor: an attempt crashed or ran past its time. The history tells it, and it is tried again while
attempts are left."""

from kept.domain.attempt import Failure
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob
from kept.observability import INGESTS
from kept.services.ingesting.end_attempt import end_attempt
from kept.services.ingesting.ingester import Ingester


async def on_attempt_failed(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await end_attempt(ingester, job, Failure(code, message, FailureStage.EXTRACT, is_transient=True))
    INGESTS.labels("timed_out" if code is FailureCode.INGEST_TIMEOUT else "crashed").inc()
