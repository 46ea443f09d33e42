"""For the executor: the attempts are used up, by workers that died or by work that ran past its time."""

from datetime import datetime

from kept.domain.attempt import AttemptRecord, Failure
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.observability import INGESTS
from kept.services.ingesting.fail_media import fail_media
from kept.services.ingesting.ingester import Ingester
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue

log = structlog.get_logger("kept.ingest")


async def on_exhausted(ingester: Ingester, job: ClaimedJob, code: FailureCode, message: str) -> None:
    # A claim that only finds the attempts used up is none itself.
    last = job.attempt - 1 if code is FailureCode.WORKER_LOST else job.attempt
    failure = Failure(code, message, FailureStage.EXTRACT, facts=AttemptRecord(attempt=last))
    await ingester.database.write(_fail, job, failure, ingester.now())
    INGESTS.labels("given_up").inc()
    log.warning("ingest.given_up", media_id=str(job.subject_id), attempt=job.attempt, **failure.as_log_fields())


def _fail(tx: Connection, job: ClaimedJob, failure: Failure, now: datetime) -> None:
    found = media.find_media(tx, job.subject_id, lock=True)
    if found is None:
        queue.finish(tx, job)
    else:
        fail_media(tx, job, found, failure, now)
