"""What the history says of an attempt whose worker died in the middle."""

from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob

LOST_ATTEMPT: Final = "Saving this page was interrupted."


def describe_lost_attempt(job: ClaimedJob, now: datetime) -> AttemptRecord:
    return AttemptRecord(code=FailureCode.WORKER_LOST, message=LOST_ATTEMPT, attempt=job.attempt - 1, next_retry_at=now)
