"""Ingesting a page that was uploaded as a file."""

import time
from dataclasses import dataclass
from uuid import UUID

from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.documents.recognise import find_file_name
from kept.domain.attempt import AttemptRecord, Via
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.document import EXTENSIONS, type_of
from kept.domain.errors import PageUnreadable, TooLarge
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.domain.media import Media
from kept.services.ingesting.articles import FollowUps, ReadArticle, finish_article
from kept.services.ingesting.attempts import EndedAttempt, end_attempt
from kept.services.ingesting.documents import FoundDocument, ingest_document
from kept.services.ingesting.failures import explain_failure
from kept.services.ingesting.worker import Ingester
from kept.services.pages.files import StoredFileImage, store_images_in_file, store_static_page
from kept.storage import captures
from kept.storage.images import page_images
from kept.subprocesses.pages import PageReader

GONE = "The uploaded file of this page is gone."


@dataclass(frozen=True, slots=True)
class ReadUpload:
    """The article and images that were read from an uploaded file."""

    article: Article
    images: tuple[StoredFileImage, ...]


async def ingest_upload(ingester: Ingester, job: ClaimedJob, media: Media, upload: Capture) -> EndedAttempt:
    """Make an attempt at an upload, which is a page as somebody saw it or a document. Nothing is fetched."""
    if upload.format is CaptureFormat.DOCUMENT:
        return await _ingest_document(ingester, job, media, upload)
    started = time.perf_counter()
    read = await read_upload(ingester, media, upload, job.actor_user_id)
    extract_ms = round((time.perf_counter() - started) * 1000)
    record = AttemptRecord(via=Via.FILE, extract_ms=extract_ms, attempt=job.attempt)
    if isinstance(read, ExtractFailed):
        return await end_attempt(ingester, job, explain_failure(read, record), read.metadata)
    article = ReadArticle(read.article, None, record, upload.created_at, images=read.images)
    follow_ups = FollowUps(store_images=ingester.settings.store_images, screenshot=False)
    return await finish_article(ingester, job, article, follow_ups)


async def _ingest_document(ingester: Ingester, job: ClaimedJob, media: Media, upload: Capture) -> EndedAttempt:
    file, record = await ingester.files.blobs.open(upload.blob_key), AttemptRecord(via=Via.FILE)
    if file is None:
        failure = explain_failure(ExtractFailed(FailureCode.INGEST_FAILED, GONE), record)
        return await end_attempt(ingester, job, failure)
    with file:
        document = FoundDocument(
            file,
            type_of(upload.content_type),
            _name(media, upload),
            media.source_url,
            record,
            upload.created_at,
            is_stored=True,
        )
        return await ingest_document(ingester, job, media, document)


def _name(media: Media, upload: Capture) -> str:
    """Return the file's name, from which the title was made when it was uploaded."""
    return f"{media.title}.{EXTENSIONS[upload.content_type]}" if media.title else find_file_name(media.source_url)


async def read_upload(
    ingester: Ingester, media: Media, upload: Capture, user_id: UUID | None
) -> ReadUpload | ExtractFailed:
    """Read an uploaded page; its static page is stored even if there is no article."""
    file = await ingester.files.blobs.open(upload.blob_key)
    if file is None:
        return ExtractFailed(FailureCode.INGEST_FAILED, GONE)
    with file:
        try:
            async with ingester.files.readers.start(file) as reader:
                return await _read(ingester, reader, media, user_id)
        except (PageUnreadable, TooLarge) as error:
            return ExtractFailed(FailureCode.EXTRACT_NO_CONTENT, error.message)


async def _read(
    ingester: Ingester, reader: PageReader, media: Media, user_id: UUID | None
) -> ReadUpload | ExtractFailed:
    await reader.open(media.source_url)
    static = await store_static_page(ingester.files, reader, media.id)
    if static is not None:
        await ingester.database.write(captures.put_capture, media.id, static, user_id, ingester.now())
    document = await reader.read_document()
    page = Page(document.html, document.base_url, media.id, "text/html; charset=utf-8", 200, is_upload=True)
    extracted = await ingester.pages.extract(page)
    if isinstance(extracted, ExtractFailed):
        return extracted
    said = extracted.metadata
    wanted = page_images(media.id, said.preview_image_url, said.favicon_url)
    wanted += [(image.id, image.origin_url) for image in extracted.images]
    images = await store_images_in_file(ingester.files, reader, media.id, wanted, ingester.settings)
    return ReadUpload(extracted, images)
