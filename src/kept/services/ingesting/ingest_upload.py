"""The attempt at what somebody uploaded: a page as they saw it, or a document. Nothing is fetched."""

import time

from kept.content.article.article import ExtractFailed
from kept.content.documents.file_name import find_file_name
from kept.domain.attempt import AttemptRecord, Via
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.document import EXTENSIONS, type_of
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.domain.media import Media
from kept.services.ingesting.end_attempt import EndedAttempt, end_attempt
from kept.services.ingesting.explain_failure import explain_failure
from kept.services.ingesting.finish_article import finish_article
from kept.services.ingesting.ingest_document import FoundDocument, ingest_document
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.read_upload import GONE, read_upload
from kept.services.ingesting.store_article import FollowUps, ReadArticle


async def ingest_upload(ingester: Ingester, job: ClaimedJob, found: Media, upload: Capture) -> str | EndedAttempt:
    if upload.format is CaptureFormat.DOCUMENT:
        return await _ingest_document(ingester, job, found, upload)
    started = time.perf_counter()
    read = await read_upload(ingester, found, upload, job.actor_user_id)
    extract_ms = round((time.perf_counter() - started) * 1000)
    record = AttemptRecord(via=Via.FILE, extract_ms=extract_ms, attempt=job.attempt)
    if isinstance(read, ExtractFailed):
        return await end_attempt(ingester, job, explain_failure(read, record), read.metadata)
    article = ReadArticle(read.article, None, record, upload.created_at, images=read.images)
    follow_ups = FollowUps(store_images=ingester.settings.store_images, screenshot=False)
    return await finish_article(ingester, job, article, follow_ups)


async def _ingest_document(ingester: Ingester, job: ClaimedJob, found: Media, upload: Capture) -> str | EndedAttempt:
    file, record = await ingester.files.blobs.open(upload.blob_key), AttemptRecord(via=Via.FILE)
    if file is None:
        failure = explain_failure(ExtractFailed(FailureCode.INGEST_FAILED, GONE), record)
        return await end_attempt(ingester, job, failure)
    with file:
        document = FoundDocument(
            file,
            type_of(upload.content_type),
            _name(found, upload),
            found.source_url,
            record,
            upload.created_at,
            is_stored=True,
        )
        return await ingest_document(ingester, job, found, document)


def _name(found: Media, upload: Capture) -> str:
    """The title was made of the file's name when it came."""
    return f"{found.title}.{EXTENSIONS[upload.content_type]}" if found.title else find_file_name(found.source_url)
