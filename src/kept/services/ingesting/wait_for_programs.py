"""Postpone a job until the operator has installed what makes articles: no page fails for want of Node."""

from datetime import timedelta
from typing import Final

from kept.domain.job import ClaimedJob
from kept.services.ingesting.ingester import Ingester
from kept.storage.jobs import queue

WAIT_FOR_PROGRAMS: Final = timedelta(minutes=5)


async def wait_for_programs(ingester: Ingester, job: ClaimedJob) -> bool:
    """Whether something is missing, and the job was postponed; it counts as no attempt."""
    if ingester.extractors.find_missing() is None:
        return False
    await ingester.database.write(queue.retry_later, job, ingester.now() + WAIT_FOR_PROGRAMS, counts=False)
    return True
