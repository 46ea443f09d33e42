"""For the executor: the attempts at a page's images are used up. The article stands without them, and each is fetched
when it is first looked at."""

from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.services.images.image_store import ImageStore
from kept.storage.jobs import queue

log = structlog.get_logger("kept.images")


async def abandon_images(store: ImageStore, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await store.database.write(queue.finish, job)
    log.warning("images.given_up", media_id=str(job.subject_id), code=code, reason=message)
