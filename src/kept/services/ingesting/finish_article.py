"""Store an article and wake those who do what follows; ingest and render both finish here."""

from kept.domain.job import ClaimedJob, JobKind
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.store_article import FollowUps, ReadArticle, store_article


async def finish_article(ingester: Ingester, job: ClaimedJob, read: ReadArticle, follow_ups: FollowUps) -> str:
    """How it ended, for logs and metrics."""
    stays = await ingester.database.write(store_article, job, read, follow_ups, now=ingester.now())
    if stays is None:
        return "gone"
    ingester.notifier.notify(JobKind.STORE_IMAGES, stays)
    ingester.notifier.notify(JobKind.RENDER, stays)
    ingester.notifier.notify(JobKind.CAPTURE, stays)
    ingester.notifier.notify(JobKind.ANCHOR_HIGHLIGHTS, stays)
    return "ready" if stays == job.subject_id else "merged"
